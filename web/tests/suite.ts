// One server, one browser and one page for the tests of a file.

import type { Browser, Page } from "playwright-core";
import type { Requests } from "../src/protocol.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { launch, openPage, openScenario, startServer, takeErrors, type PageOptions, type Server } from "./harness.ts";

export interface Suite {
  browser: Browser;
  server: Server;
  page: Page;
}

/// Each test starts with the scenario freshly opened, at time 0, at normal speed.
export function usePage(options: PageOptions = {}, scenario?: Requests["open"]["fields"]): Suite {
  const suite = {} as Suite;
  beforeAll(async () => {
    suite.server = await startServer();
    suite.browser = await launch();
    suite.page = await openPage(suite.browser, suite.server.address, options);
    suite.page.setDefaultTimeout(60_000);
  });
  beforeEach(async () => {
    // On a busy machine the connection may have been lost; it reconnects by itself.
    await suite.page.waitForFunction(() => window.lockstep.store.connection.value.state === "open");
    await suite.page.evaluate(() => {
      for (const menu of document.querySelectorAll<HTMLElement>("[popover]")) menu.hidePopover();
      for (const dialog of document.querySelectorAll("dialog")) dialog.close();
      window.lockstep.store.selection.set(null);
    });
    await openScenario(suite.page, scenario);
    await suite.page.evaluate(() => window.lockstep.request("speed", { factor: 1 }));
  });
  afterEach(() => expect(takeErrors()).toEqual([]));
  afterAll(async () => {
    await suite.browser?.close();
    await suite.server?.stop();
  });
  return suite;
}
