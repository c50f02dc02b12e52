// Layers and tools of the 3D view: names, transparency, inertia boxes, solver, view cube, measure, section, water.

import { expect, it } from "vitest";
import { compareImage, drawn, findHinge, openScenario, screenshot } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();
/// Pixels that must change for something to count as visible.
const SEEN = 150;

/// A point of the window where a body is seen.
function pointOn(body: number): Promise<{ x: number; y: number }> {
  return suite.page.evaluate((body) => {
    const { view } = window.lockstep;
    const box = view.canvas.getBoundingClientRect();
    for (let y = box.top + 80; y < box.bottom; y += 6)
      for (let x = box.left + 80; x < box.right - 80; x += 6) if (view.pick(x, y)?.body === body) return { x, y };
    throw new Error("not visible");
  }, body);
}

it.each(["Transparent bodies", "Inertia boxes"])("draws: %s", async (name) => {
  const { page } = suite;
  await compareImage(page, "before");
  await page.getByRole("button", { name: "Visibility" }).click();
  const box = page.locator(".menu:popover-open").getByLabel(name);
  await box.click();
  expect(await compareImage(page, "after", "before")).toBeGreaterThan(SEEN);
  await screenshot(page, name.toLowerCase().replace(" ", "-"));
  await box.click();
  await page.keyboard.press("Escape");
  expect(await compareImage(page, "restored", "before")).toBe(0);
});

it("shows names at their bodies", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  await page.evaluate(() => window.lockstep.settings.update((old) => ({ ...old, labels: true })));
  await drawn(page);
  const label = (await page.locator(".labels span").filter({ hasText: "pendulum/rod" }).boundingBox())!;
  const at = await page.evaluate((body) => {
    const { view } = window.lockstep;
    const matrix = view.bodyMatrix(body)!;
    const { x, y } = view.project(view.rig.camera.position.clone().set(matrix[12]!, matrix[13]!, matrix[14]));
    return { x, y };
  }, body);
  expect(Math.abs(label.x - at.x)).toBeLessThan(2);
  expect(Math.abs(label.y - at.y)).toBeLessThan(2);
  await screenshot(page, "names");
  await page.evaluate(() => window.lockstep.settings.update((old) => ({ ...old, labels: false })));
});

it("shows what the solver does: four contacts of a crate on the ground", async () => {
  const { page } = suite;
  await page.evaluate(() => window.lockstep.request("step", { count: 300 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.step === 300);
  await page.click("#tab-solver");
  const value = (name: string): Promise<string | null> => page.locator(`.solver [aria-label='${name}']`).textContent();
  await expect.poll(() => value("Contacts")).toBe("4");
  expect(Number((await value("Constraint rows"))!)).toBeGreaterThanOrEqual(12);
  expect(await value("Largest penetration")).toMatch(/ mm$/);
  await page.click("#tab-inspector");
});

it("looks from the side of the view cube that was clicked", async () => {
  const { page } = suite;
  const direction = (): Promise<number[]> =>
    page.evaluate(() => {
      const { camera, controls } = window.lockstep.view.rig;
      return camera.position.clone().sub(controls.target).normalize().toArray();
    });
  for (const [face, wanted] of [
    ["right", [1, 0, 0]],
    ["top", [0, 0, 1]],
    ["left", [-1, 0, 0]],
    ["back", [0, 1, 0]],
  ] as const) {
    await page.getByLabel(`Look from the ${face}`).evaluate((button) => (button as HTMLElement).click());
    await drawn(page);
    (await direction()).forEach((part, i) => expect(part).toBeCloseTo(wanted[i]!, 2));
    // The clicked face is now the one in front: it covers the middle of the cube.
    const cube = (await page.locator(".view-cube").boundingBox())!;
    const front = await page.evaluate(
      ([x, y]) => document.elementFromPoint(x!, y!)?.getAttribute("aria-label"),
      [cube.x + cube.width / 2, cube.y + cube.height / 2],
    );
    expect(front).toBe(`Look from the ${face}`);
  }
  await page.keyboard.press("h");
  await drawn(page);
  await screenshot(page, "view-cube");
});

it("measures distances and angles between clicked points", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  const crate = await page.evaluate(() =>
    window.lockstep.store.scene.value!.bodies.findIndex(({ name }) => name === "crate"),
  );
  const [a, b] = [await pointOn(body), await pointOn(crate)];
  await page.mouse.move(0, 0);
  await page.keyboard.press("m");
  for (const point of [a, b]) await page.mouse.click(point.x, point.y);
  const distance = await page.evaluate(
    ([a, b]) => {
      const { view } = window.lockstep;
      return view.pick(a!.x, a!.y)!.point.distanceTo(view.pick(b!.x, b!.y)!.point);
    },
    [a, b],
  );
  await page.locator(".measure").filter({ hasText: "(x " }).waitFor();
  const [, number, unit] = /^([\d.]+) (mm|m)/.exec((await page.locator(".measure").textContent())!)!;
  expect(Number(number) * (unit === "mm" ? 0.001 : 1)).toBeCloseTo(distance, 3);
  await page.mouse.click(a.x, a.y);
  // The third point is the first one: the angle between a line and itself.
  await page.locator(".measure").filter({ hasText: "°, sides" }).waitFor();
  expect(Number.parseFloat((await page.locator(".measure").textContent())!)).toBeLessThan(0.1);
  await screenshot(page, "measure");
  await page.keyboard.press("m");
  expect(await page.locator(".measure").isVisible()).toBe(false);
});

it("cuts the scene at a section plane", async () => {
  const { page } = suite;
  await compareImage(page, "whole");
  await page.getByRole("button", { name: "Visibility" }).click();
  await page.getByLabel("Section plane").selectOption("z");
  await page.getByLabel("Section position").fill("0.6");
  expect(await compareImage(page, "cut", "whole")).toBeGreaterThan(SEEN);
  await screenshot(page, "section");
  await page.getByLabel("Section plane").selectOption("");
  await page.keyboard.press("Escape");
  expect(await compareImage(page, "whole again", "whole")).toBe(0);
});

it("shows the force of a pull", async () => {
  const { page } = suite;
  const crate = await page.evaluate(() =>
    window.lockstep.store.scene.value!.bodies.findIndex(({ name }) => name === "crate"),
  );
  const at = await pointOn(crate);
  await page.keyboard.press("p");
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y - 40, { steps: 4 });
  const label = page.locator(".pull-force");
  await label.waitFor();
  // The spring has 100/s² times the mass of the crate (5 kg), and the crate is at rest: 500 N/m times the stretch.
  const { force, stretch } = await page.evaluate(
    ([from, to]) => {
      const { view } = window.lockstep;
      const start = view.pick(from!.x, from!.y)!.point;
      const facing = view.rig.camera.getWorldDirection(start.clone());
      const { ray } = view.setRay(to!.x, to!.y);
      const along = start.clone().sub(ray.origin).dot(facing) / ray.direction.dot(facing);
      const target = ray.origin.clone().addScaledVector(ray.direction, along);
      const force = Number(document.querySelector<HTMLElement>(".pull-force")!.dataset.force);
      return { force, stretch: target.distanceTo(start) };
    },
    [at, { x: at.x + 60, y: at.y - 40 }],
  );
  expect(force / stretch).toBeCloseTo(500, -1);
  expect(await label.textContent()).toMatch(/N$/);
  await screenshot(page, "pull-force");
  await page.mouse.up();
  expect(await label.isVisible()).toBe(false);
  await page.keyboard.press("p");
});

/// Mean colour of the lower middle of the view.
function lowerColor(): Promise<number[]> {
  return suite.page.evaluate(() => {
    const { view } = window.lockstep;
    view.draw();
    const canvas = new OffscreenCanvas(view.canvas.width, view.canvas.height);
    const context = canvas.getContext("2d")!;
    context.drawImage(view.canvas, 0, 0);
    const { data } = context.getImageData(canvas.width * 0.4, canvas.height * 0.75, canvas.width * 0.2, 20);
    const sum = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) for (let k = 0; k < 3; ++k) sum[k]! += data[i + k]!;
    return sum.map((each) => (4 * each) / data.length);
  });
}

it("draws the grid below a robot without ground, not through it", async () => {
  const { page } = suite;
  const text = `<scenario name="hanging" step="2 ms" duration="1 s" gravity="0 0 0">
    <object name="low" position="0 0 -1.5"><box size="0.4 0.4 0.4" mass="1"/></object>
    <object name="high" position="0 0 1"><box size="0.4 0.4 0.4" mass="1"/></object></scenario>`;
  await openScenario(page, { text, name: "hanging.xml" });
  // Looking down, the lower box is nearer than the grid: the pixel in its middle does not change with the grid.
  await page.evaluate(() => {
    const { view, store } = window.lockstep;
    store.toggle(store.hidden, ["high"], true);
    view.look("top");
  });
  const middle = (): Promise<number[]> =>
    page.evaluate(() => {
      const { view } = window.lockstep;
      view.draw();
      const canvas = new OffscreenCanvas(view.canvas.width, view.canvas.height);
      const context = canvas.getContext("2d")!;
      context.drawImage(view.canvas, 0, 0);
      const at = view.project(view.rig.camera.position.clone().set(0, 0, -1.3));
      const box = view.canvas.getBoundingClientRect();
      const { data } = context.getImageData(at.x - box.left - 4, at.y - box.top - 4, 8, 8);
      return [...data];
    });
  const withGrid = await middle();
  await page.evaluate(() => window.lockstep.settings.update((old) => ({ ...old, grid: false })));
  expect(await middle()).toEqual(withGrid);
  await page.evaluate(() => window.lockstep.settings.update((old) => ({ ...old, grid: true })));
});

it("draws the surface of water", async () => {
  const text = (medium: string): string =>
    `<scenario name="pool" step="2 ms" duration="1 s">${medium}<ground/>
     <object name="ball" position="0 0 1"><sphere radius="0.2" mass="1"/></object></scenario>`;
  await openScenario(suite.page, { text: text(""), name: "dry.xml" });
  const [red, , blue] = await lowerColor();
  await openScenario(suite.page, { text: text('<medium water_level="0.6 m"/>'), name: "wet.xml" });
  await drawn(suite.page);
  await screenshot(suite.page, "water");
  const [wetRed, , wetBlue] = await lowerColor();
  // Blue water between the camera and the ground takes red away.
  expect(wetBlue! - wetRed!).toBeGreaterThan(blue! - red! + 20);
});
