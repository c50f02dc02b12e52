// Habits of the page: keyboard, focus, what is fetched, what is kept, and what is said.

import { expect, it } from "vitest";
import { compareImage, drawn, findHinge, openScenario, screenshot, waitForTime } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

const stepOf = (): Promise<number> => suite.page.evaluate(() => window.lockstep.store.status.value.step);

it("handles the keyboard: tree, speed, tab stops, camera", async () => {
  const { page } = suite;
  await page.evaluate(() => window.lockstep.request("step", { count: 20 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.step === 20);
  // Home and End in the tree move in the tree; the run stays where it is.
  const rows = page.locator("[role=treeitem]");
  await rows.nth(2).focus();
  await page.keyboard.press("Home");
  expect(await rows.first().evaluate((row) => row === document.activeElement)).toBe(true);
  await page.keyboard.press("End");
  expect(await rows.last().evaluate((row) => row === document.activeElement)).toBe(true);
  expect(await stepOf()).toBe(20);
  // One tab stop in the whole tree, eyes included.
  const stops = await page
    .locator(".tree")
    .evaluate((tree) => [...tree.querySelectorAll<HTMLElement>("*")].filter((each) => each.tabIndex === 0).length);
  expect(stops).toBe(1);
  // Keys that need no AltGr, and those of a German keyboard that do.
  const speed = (): Promise<number | null> => page.evaluate(() => window.lockstep.store.status.value.speed);
  await page.keyboard.press("-");
  await page.waitForFunction(() => window.lockstep.store.status.value.speed === 0.5);
  await page.evaluate(() =>
    document.body.dispatchEvent(
      new KeyboardEvent("keydown", { key: "]", ctrlKey: true, altKey: true, modifierAltGraph: true, bubbles: true }),
    ),
  );
  await page.waitForFunction(() => window.lockstep.store.status.value.speed === 1);
  // Any speed is shown, also the second one that is not in the list.
  for (const factor of [0.3, 0.7]) {
    await page.evaluate((factor) => window.lockstep.request("speed", { factor }), factor);
    await page.waitForFunction((factor) => window.lockstep.store.status.value.speed === factor, factor);
    expect(await page.getByLabel("Simulation speed").inputValue()).toBe(String(await speed()));
  }
  // Arrows turn the camera at its distance, Shift moves its target, Page up comes nearer.
  const camera = (): Promise<{ away: number; x: number; target: number[] }> =>
    page.evaluate(() => {
      const { camera, controls } = window.lockstep.view.rig;
      const target = controls.target.toArray();
      return { away: camera.position.distanceTo(controls.target), x: camera.position.x, target };
    });
  await page.locator(".view canvas").focus();
  const start = await camera();
  await page.keyboard.press("ArrowRight");
  const turned = await camera();
  expect(turned.away).toBeCloseTo(start.away, 6);
  expect(Math.abs(turned.x - start.x)).toBeGreaterThan(0.01);
  await page.keyboard.press("Shift+ArrowUp");
  expect((await camera()).target).not.toEqual(start.target);
  await page.keyboard.press("PageUp");
  expect((await camera()).away).toBeLessThan(0.95 * start.away);
  await page.keyboard.press("h");
});

it("keeps focus, scroll position and geometry over an edit", async () => {
  const { page } = suite;
  await openScenario(page, { gallery: "basics/bowl" });
  const fetched: string[] = [];
  page.on("request", (request) => request.url().includes("/scene/") && fetched.push(request.url()));
  await page.evaluate(() => {
    const index = window.lockstep.store.scene.value!.bodies.findIndex(({ name }) => name === "ball");
    window.lockstep.store.selection.set({ kind: "body", index });
  });
  const control = page.locator(".inspector [aria-label='radius, number']").first();
  await control.waitFor();
  const inspector = page.locator(".inspector");
  await inspector.evaluate((element) => (element.style.maxHeight = "150px"));
  await control.focus();
  const top = await inspector.evaluate((element) => element.scrollTop);
  expect(top).toBeGreaterThan(10);
  const id = await page.evaluate(() => window.lockstep.store.scene.value!.id);
  await control.fill("0.25");
  await page.keyboard.press("Enter");
  await page.waitForFunction((id) => window.lockstep.store.scene.value!.id !== id, id);
  await page.waitForFunction(
    () => (document.activeElement as HTMLInputElement | null)?.getAttribute("aria-label") === "radius, number",
  );
  expect(Math.abs((await inspector.evaluate((element) => element.scrollTop)) - top)).toBeLessThan(20);
  await page.waitForFunction(() => window.lockstep.store.state.value !== null);
  await drawn(page);
  expect(fetched).toEqual([]);
  page.removeAllListeners("request");
  await inspector.evaluate((element) => (element.style.maxHeight = ""));
});

it("says what happens, and no more", async () => {
  const { page } = suite;
  // Only rare announcements are live; no number is.
  const live = (): Promise<number> =>
    page.evaluate(
      () =>
        [...document.querySelectorAll("output, [role=log]")].filter((each) => each.getAttribute("aria-live") !== "off")
          .length,
    );
  expect(await live()).toBe(0);
  await page.evaluate(() => window.lockstep.request("play", { for: 0.3 }));
  await waitForTime(page, 0.25);
  await page.waitForFunction(() => document.querySelector(".announcer")!.textContent === "paused");
  // Dragging a slider is one event.
  const before = await page.evaluate(() => window.lockstep.store.log.value.length);
  await page.evaluate(async () => {
    for (let i = 1; i <= 5; ++i)
      await window.lockstep.request("set", { signal: "pendulum/drive/torque", value: i / 10 });
  });
  await page.waitForFunction(() => window.lockstep.store.log.value.at(-1)?.text.includes("0.5"));
  expect(await page.evaluate(() => window.lockstep.store.log.value.length)).toBe(before + 1);
  // Saving a snapshot is confirmed; it can be deleted.
  await page.keyboard.press("s");
  await page.locator(".toast").filter({ hasText: "saved" }).waitFor();
  await page.waitForFunction(() => window.lockstep.store.status.value.snapshots.length === 1);
  await page.getByText("Snapshots").click();
  await page.locator(".menu:popover-open [aria-label^=Delete]").click();
  await page.waitForFunction(() => window.lockstep.store.status.value.snapshots.length === 0);
  await page.keyboard.press("Escape");
  // Overruns are a share of the steps.
  const shown = await page.evaluate(() => {
    const { store } = window.lockstep;
    const field = document.querySelector(".statusbar [aria-label=Overruns]")!;
    const texts: [string | null, boolean][] = [];
    for (const overruns of [4, 10]) {
      store.setStatus({ ...store.status.value, overruns, paced_steps: 1000 });
      texts.push([field.textContent, field.classList.contains("bad")]);
    }
    return texts;
  });
  expect(shown).toEqual([
    ["0.4 %", false],
    ["1.0 %", true],
  ]);
  // The name of the body under the pointer.
  const { body } = await findHinge(page);
  const at = await page.evaluate((body) => {
    const { view } = window.lockstep;
    const box = view.canvas.getBoundingClientRect();
    for (let y = box.top + 4; y < box.bottom; y += 6)
      for (let x = box.left + 4; x < box.right; x += 6) if (view.pick(x, y)?.body === body) return { x, y };
    throw new Error("not visible");
  }, body);
  await page.mouse.move(at.x, at.y);
  await page.locator(".hover-name").filter({ hasText: "pendulum/rod" }).waitFor();
});

it("searches the gallery, and tells how to import other files", async () => {
  const { page } = suite;
  await page.keyboard.press("o");
  await page.locator(".card").first().waitFor();
  const all = await page.locator(".card").count();
  await page.getByLabel("Search gallery and files").fill("snake");
  const found = await page.locator(".card").count();
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(all / 2);
  await screenshot(page, "gallery-search");
  await page.setInputFiles("#upload", { name: "arm.urdf", mimeType: "text/xml", buffer: Buffer.from("<robot/>") });
  await page.locator(".toast").filter({ hasText: "lockstep import arm.urdf" }).waitFor();
});

it("shows the axes of the world and the scale of the grid", async () => {
  const { page } = suite;
  await page.keyboard.press("h");
  await compareImage(page, "home");
  await page.getByLabel("Look along z (top)").click();
  expect(await compareImage(page, "top", "home")).toBeGreaterThan(1000);
  expect(await page.locator(".compass span").textContent()).toBe("grid 100 mm");
});
