// The 3D view, checked by its pixels, and pulling bodies with the mouse.

import { expect, it } from "vitest";
import { compareImage, drawn, findHinge, openScenario, pause, pose, screenshot, waitForState } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

/// Minimum number of changed pixels for a body or mode to count as visible.
const SEEN = 150;

it("toggles wireframe", async () => {
  const { page } = suite;
  await compareImage(page, "shaded");
  await page.getByLabel("Wireframe (W)").click();
  expect(await compareImage(page, "wires", "shaded")).toBeGreaterThan(SEEN);
  await screenshot(page, "wireframe");
  await page.getByLabel("Wireframe (W)").click();
  expect(await compareImage(page, "again", "shaded")).toBe(0);
});

it("hides and shows an object", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  await compareImage(page, "with");
  const eye = page.locator(`[data-key=b${body}]`).getByLabel(/^(Hide|Show)/);
  await eye.click();
  expect(await compareImage(page, "without", "with")).toBeGreaterThan(SEEN);
  await screenshot(page, "hidden");
  await eye.click();
  expect(await compareImage(page, "with again", "with")).toBe(0);
});

it.each([
  "Collision shapes",
  "Shadows",
  "Ground grid",
  "Body frames",
  "Joint axes",
  "Centres of mass",
  "Contact forces",
])("switches: %s", async (name) => {
  const { page } = suite;
  // Contact forces are those of the last step.
  await page.evaluate(() => window.lockstep.request("step", { count: 20 }));
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 20);
  await compareImage(page, "before");
  await page.getByRole("button", { name: "Visibility" }).click();
  const box = page.locator(".menu:popover-open").getByLabel(name);
  await box.click();
  if (name === "Contact forces")
    await page.waitForFunction(() => window.lockstep.store.state.value!.contacts.length > 0);
  expect(await compareImage(page, "after", "before")).toBeGreaterThan(SEEN / 10);
  await box.click();
  await page.keyboard.press("Escape");
  expect(await compareImage(page, "restored", "before")).toBe(0);
});

it("draws the planned and the actual path", async () => {
  const { page } = suite;
  await openScenario(page, { gallery: "arms/six-joints" });
  await compareImage(page, "plan");
  await page.evaluate(() => window.lockstep.settings.update((settings) => ({ ...settings, plans: false })));
  expect(await compareImage(page, "none", "plan")).toBeGreaterThan(SEEN / 2);
  for (const step of [200, 400, 600]) {
    await page.evaluate(() => window.lockstep.request("step", { count: 200 }));
    await page.waitForFunction((step) => window.lockstep.stats.step === step, step);
  }
  await compareImage(page, "arm");
  await page.evaluate(() => window.lockstep.settings.update((settings) => ({ ...settings, plans: true })));
  expect(await compareImage(page, "both", "arm")).toBeGreaterThan(SEEN / 2);
  await screenshot(page, "plan");
});

it("traces the path of a body", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  await page.evaluate((index) => window.lockstep.store.selection.set({ kind: "body", index }), body);
  await page.getByLabel("Trace path").click();
  for (const step of [100, 200, 300]) {
    await page.evaluate(() => window.lockstep.request("step", { count: 100 }));
    await page.waitForFunction((step) => window.lockstep.stats.step === step, step);
  }
  await compareImage(page, "traced");
  await page.getByLabel("Trace path").click();
  expect(await compareImage(page, "untraced", "traced")).toBeGreaterThan(SEEN / 4);
});

/// The centre of the visible pixels of a body, in the window.
async function pixelOf(body: number): Promise<{ x: number; y: number }> {
  return suite.page.evaluate((body) => {
    const { view } = window.lockstep;
    const box = view.canvas.getBoundingClientRect();
    let [count, x, y] = [0, 0, 0];
    for (let i = 4; i < box.width; i += 8) {
      for (let k = 4; k < box.height; k += 8) {
        if (view.pick(box.left + i, box.top + k)?.body !== body) continue;
        ++count;
        // The last hit is on the body; the mean may not be.
        [x, y] = [box.left + i, box.top + k];
      }
    }
    if (count === 0) throw new Error(`body ${body} is not visible`);
    return { x, y };
  }, body);
}

it("selects the clicked body, and shows its mass and pose", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  const { x, y } = await pixelOf(body);
  await page.mouse.click(x, y);
  await page.waitForFunction((body) => {
    const selection = window.lockstep.store.selection.value;
    return selection?.kind === "body" && selection.index === body;
  }, body);
  const inspector = page.locator(".inspector");
  const { name } = await page.evaluate((body) => window.lockstep.store.scene.value!.bodies[body]!, body);
  expect(await inspector.locator("h2").textContent()).toBe(name);
  expect(await inspector.locator("dl").first().textContent()).toMatch(/Mass.*kg.*Position/);
  await page.mouse.dblclick(x, y);
  await drawn(page);
  await screenshot(page, "focused");
  await page.keyboard.press("h");
});

it("pulls a body to the pointer, and releases it", async () => {
  const { page } = suite;
  const { body, joint } = await findHinge(page);
  await page.evaluate((joint) => window.lockstep.request("joint", { joint, position: 0 }), joint);
  await drawn(page);
  const before = await pose(page, body);
  const { x, y } = await pixelOf(body);
  await page.keyboard.press("Space");
  await waitForState(page, "running");
  await page.keyboard.down("Alt");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 90, y - 30, { steps: 6 });
  const turned = (before: number[]): Promise<unknown> =>
    page.waitForFunction(
      ([before, body]) => {
        const now = window.lockstep.store.state.value!.poses;
        return [3, 4, 5, 6].some((i) => Math.abs(now[body * 7 + i]! - before[i]!) > 0.05);
      },
      [before, body] as const,
    );
  await turned(before);
  await screenshot(page, "pull");
  await page.mouse.up();
  await page.keyboard.up("Alt");
  await page.waitForFunction(() => window.lockstep.store.log.value.length >= 2);
  await pause(page);
});

it("rides on a body: the body stays in place in the image while the rest moves", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  await page.evaluate((body) => window.lockstep.store.selection.set({ kind: "body", index: body }), body);
  await page.evaluate(() => window.lockstep.cameraMode.set("ride"));
  await drawn(page);
  await page.evaluate(() => window.lockstep.view.setState(window.lockstep.store.state.value!));
  await drawn(page);
  const before = await pixelOf(body);
  const camera = () => page.evaluate(() => window.lockstep.view.rig.camera.position.toArray());
  const start = await camera();
  await page.evaluate(() => window.lockstep.request("step", { count: 200 }));
  await page.waitForFunction(() => window.lockstep.stats.step === 200);
  expect(await camera()).not.toEqual(start);
  const after = await pixelOf(body);
  // A few pixels: the camera keeps its up direction while the body rotates.
  expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(80);
  await page.evaluate(() => window.lockstep.cameraMode.set("free"));
  await page.keyboard.press("h");
});

it("saves an image", async () => {
  const { page } = suite;
  const download = page.waitForEvent("download");
  await page.getByLabel("Save an image (C)").click();
  expect((await download).suggestedFilename()).toMatch(/\.png$/);
});
