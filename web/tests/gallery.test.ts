// Every scenario of the gallery opens, and what moves stays in the image throughout its planned duration.

import { expect, it } from "vitest";
import { openScenario, screenshot } from "./harness.ts";
import { usePage } from "./suite.ts";

// The image does not matter, only where bodies are in it: few pixels leave the processor to the simulation.
const suite = usePage({ imagesPerSecond: 60, pixelRatio: 0.1 });
/// Longer scenarios are demos of one repeated motion.
const LONGEST = 60; // s
/// A busy machine simulates slower than real time.
const TEST_MS = 540_000;
/// Instants that are looked at.
const LOOKS = 8;

interface Seen {
  outside: string[];
}

/// Runs for a time, draws, and lists the tracked bodies whose origin is not in the image.
async function lookAfter(seconds: number): Promise<Seen> {
  return suite.page.evaluate(async (seconds) => {
    const { store, request, view } = window.lockstep;
    const { step: first, state: before } = store.status.value;
    const last = first + Math.max(1, Math.ceil(seconds / store.scene.value!.step - 1e-9));
    if (before === "failed" || before === "ended") return { outside: [] };
    await request("play", { for: seconds });
    const deadline = performance.now() + 60_000;
    const isThere = (): boolean => {
      const { step, state } = store.status.value;
      const isOver = step >= last || state === "failed" || state === "ended";
      return isOver && store.state.value?.step === step;
    };
    while (!isThere()) {
      if (performance.now() > deadline) throw new Error(`step ${last} was not reached`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    view.draw();
    const { bodies } = store.scene.value!;
    const { poses } = store.state.value!;
    const ofRobots = bodies.some(({ robot, movable }) => robot && movable);
    const outside = bodies.flatMap(({ name, movable, robot }, i) => {
      if (!movable || (ofRobots && !robot)) return [];
      const point = view.rig.controls.target.clone().fromArray(poses, i * 7);
      const { x, y } = view.project(point);
      const box = view.canvas.getBoundingClientRect();
      const isInside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
      return isInside ? [] : [`${name} at ${[x - box.left, y - box.top].map(Math.round).join()}`];
    });
    return { outside };
  }, seconds);
}

// Minutes of work, so only in `./dev test --thorough`.
it.runIf(process.env.LOCKSTEP_THOROUGH)(
  "keeps what moves in view in every scenario",
  async () => {
    const { page } = suite;
    const items = await page.evaluate(async () => (await window.lockstep.request("files")).gallery);
    expect(items.length).toBeGreaterThan(30);
    const lost: string[] = [];
    for (const { name, controller } of items) {
      await openScenario(page, { gallery: name });
      const { connections } = await page.evaluate(() => window.lockstep.store.status.value);
      // Without its controller a machine does not move.
      if (connections.length > 0 && !controller) continue;
      await page.evaluate(() => window.lockstep.request("speed", { factor: null }));
      const planned = await page.evaluate(() => window.lockstep.store.scene.value!.duration!);
      const length = Math.min(planned, connections.length > 0 ? 2 : LONGEST);
      for (let i = 0; i < LOOKS; ++i) {
        const { outside } = await lookAfter(length / LOOKS);
        if (outside.length > 0) lost.push(`${name}, look ${i}: ${outside.join("; ")}`);
        if (outside.length > 0) break;
      }
    }
    expect(lost).toEqual([]);
  },
  TEST_MS,
);

it("leaves the camera to the user who takes it, and follows again by the button", async () => {
  const { page } = suite;
  const text = `<scenario name="fall" step="1 ms" duration="60 s">
    <object name="ball" position="0 0 1"><sphere radius="0.1" mass="1"/></object></scenario>`;
  const isSeen = async (): Promise<boolean> => (await lookAfter(1)).outside.length === 0;
  await openScenario(page, { text, name: "fall.xml" });
  await page.evaluate(() => window.lockstep.request("speed", { factor: null }));
  expect(await isSeen()).toBe(true); // 5 m below
  const box = (await page.locator(".view canvas").boundingBox())!;
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 100);
  await page.mouse.up();
  expect(await isSeen()).toBe(false); // 20 m below
  await page.getByLabel("Keep what moves in view").click();
  expect(await isSeen()).toBe(true);
  await screenshot(page, "kept-in-view");
});
