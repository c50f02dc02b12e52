// Losing the server and reconnecting.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  freePort,
  launch,
  openPage,
  SCENARIO,
  SCENARIOS,
  screenshot,
  startServer,
  takeErrors,
  waitForTime,
  type Server,
} from "./harness.ts";

describe("a lost server", () => {
  let browser: Browser;
  let server: Server;
  let page: Page;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    server = await startServer({ port, args: [SCENARIOS + SCENARIO] });
    browser = await launch();
    page = await openPage(browser, server.address);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("is noticed at once, and the page is restored after reconnecting", async () => {
    await page.waitForFunction(() => window.lockstep.store.scene.value !== null);
    await page.evaluate(() => window.lockstep.plots.addSignal(window.lockstep.store.scene.value!.signals[0]!.name));
    await page.keyboard.press("Space");
    await waitForTime(page, 0.2);
    await server.stop();
    await page.locator(".banner").waitFor({ state: "visible" });
    await screenshot(page, "lost");
    const rejected = await page.evaluate(() =>
      window.lockstep.request("play").then(
        () => "",
        (error: Error) => error.message,
      ),
    );
    expect(rejected).toBe("not connected to the server");

    server = await startServer({ port, args: [SCENARIOS + SCENARIO] });
    await page.locator(".banner").waitFor({ state: "hidden" });
    // The restarted server has the same scenario, at time 0.
    await page.waitForFunction(() => window.lockstep.store.state.value?.step === 0);
    await page.keyboard.press("Space");
    await waitForTime(page, 0.2);
    // The plot is kept, and the stream fills it again.
    await page.waitForFunction(() => window.lockstep.history.length > 50);
    expect(await page.locator(".chip").count()).toBe(1);
    expect(takeErrors()).toEqual([]);
  });
});
