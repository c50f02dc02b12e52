// The controller panel: buttons and start lamp, readings and score, and what a camera sees.

import { expect, it } from "vitest";
import { screenshot } from "./harness.ts";
import { usePage } from "./suite.ts";

/// A robot with a camera that looks along x at a red ball 1 m away: radius 0.1 m, field of view 60 degrees.
const SCENARIO = `<scenario name="seen" step="1 ms">
  <object name="ball" static="true" position="1 0 0.5"><sphere radius="0.1" color="#e01010"/></object>
  <robot name="bot" position="0 0 0.5"><link name="base"><box size="0.1 0.1 0.1" position="-0.1 0 0"/><site name="eye"/></link>
    <sensors>
      <camera name="camera" site="eye" period="20 ms" field_of_view="60 deg">
        <channel hue_from="165" hue_to="15" saturation_from="127" value_from="80"/>
      </camera>
      <infrared_range name="analog0" site="eye"/>
    </sensors>
    <actuators><panel name="panel"/></actuators>
  </robot>
  <sensors><score name="score" formula="7 * bot/camera/channel0/count + 3 * bot/panel/a"/></sensors>
</scenario>`;

const suite = usePage({}, { text: SCENARIO, name: "seen.xml" });

const step = (count: number): Promise<unknown> =>
  suite.page.evaluate((count) => window.lockstep.request("step", { count }), count);

it("shows the image of a camera with its blobs, and the score", async () => {
  const { page } = suite;
  await page.click("#tab-controller");
  await step(50);
  const image = page.locator(".camera-image img");
  await image.waitFor({ state: "visible" });
  const [width, height] = await image.evaluate(async (element) => {
    const shown = element as HTMLImageElement;
    await shown.decode();
    return [shown.naturalWidth, shown.naturalHeight];
  });
  expect([width, height]).toEqual([160, 120]);
  // The ball is in the middle, with a radius of f tan(asin(0.1)) = 13.9 pixels.
  const box = await page.locator(".blob").evaluate((element) => {
    const [own, all] = [element.getBoundingClientRect(), element.parentElement!.parentElement!.getBoundingClientRect()];
    return [(own.left + own.width / 2 - all.left) / all.width, own.width / all.width];
  });
  expect(box[0]).toBeCloseTo(0.5, 1);
  expect(160 * box[1]!).toBeGreaterThan(26);
  expect(160 * box[1]!).toBeLessThan(30);
  await page.waitForFunction(() => document.querySelector('output[aria-label="score"]')?.textContent === "7");
  await screenshot(page, "controller");
});

it("presses buttons and switches the start lamp", async () => {
  const { page } = suite;
  await page.click("#tab-controller");
  await step(5);
  const button = page.locator(".controller-button", { hasText: /^A$/ });
  await button.hover();
  await page.mouse.down();
  await page.waitForFunction(() => window.lockstep.store.log.value.some(({ text }) => text.includes("bot/panel/a")));
  await step(5);
  await page.waitForFunction(() => document.querySelector('output[aria-label="score"]')?.textContent === "10");
  await page.mouse.up();
  await step(5);
  await page.waitForFunction(() => document.querySelector('output[aria-label="score"]')?.textContent === "7");
  const lamp = page.locator(".start-lamp");
  await lamp.click();
  await step(5);
  await page.waitForFunction(() => document.querySelector(".start-lamp")?.getAttribute("aria-pressed") === "true");
});
