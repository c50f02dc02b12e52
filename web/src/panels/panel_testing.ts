// An App for the tests of panels: a real store, and requests that are recorded and answered by the test.

import type { App } from "../app.ts";
import { goldenScene, goldenStatus } from "../golden_messages_testing.ts";
import { RequestError } from "../protocol.ts";
import { Loop, makeSeek } from "../loop.ts";
import { Store } from "../store.ts";

export interface TestApp extends App {
  /// What was asked of the server, in order.
  requests: [string, unknown][];
  /// What was said to the person.
  told: string[];
  plotted: string[];
}

/// `answers` by the name of the request; {} for all others. An Error rejects the request.
export function makeTestApp(answers: Record<string, unknown> = {}): TestApp {
  const [requests, told, plotted]: [[string, unknown][], string[], string[]] = [[], [], []];
  const store = new Store();
  const app = {
    store,
    requests,
    told,
    plotted,
    request: (what: string, fields: unknown) => {
      requests.push([what, fields]);
      const answer = answers[what] ?? {};
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    run: async (answer: Promise<unknown>) => {
      try {
        await answer;
        return true;
      } catch (error) {
        told.push((error as RequestError).message);
        return false;
      }
    },
    tell: (text: string) => void told.push(text),
    plots: { addSignal: (name: string) => void plotted.push(name), zoomedRange: null },
  } as unknown as TestApp;
  app.loop = new Loop(app);
  app.seek = makeSeek(app, app.loop);
  return app;
}

/// The arm of the golden messages, at its start.
export function openGolden(app: App): void {
  app.store.push({ push: "scene", scene: goldenScene });
  app.store.push({ push: "status", status: goldenStatus });
}

export function textsOf(element: Element, selector: string): string[] {
  return [...element.querySelectorAll(selector)].map((each) => each.textContent ?? "");
}
