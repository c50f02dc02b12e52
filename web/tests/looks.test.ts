// The page in both themes and several sizes: screenshots, contrast, accessible names, keyboard.

import { expect, it } from "vitest";
import { drawn, findHinge, screenshot, waitForTime } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

/// WCAG AA: text of normal size.
const LEAST_CONTRAST = 4.5;

async function setTheme(isDark: boolean): Promise<void> {
  await suite.page.evaluate((isDark) => window.lockstep.isDark.set(isDark), isDark);
  await drawn(suite.page);
}

const SIZES = [
  ["1280x720", 1280, 720],
  ["1920x1080", 1920, 1080],
  ["1024x768", 1024, 768],
  ["tablet-upright", 820, 1180],
] as const;

it.each(SIZES.flatMap(([name, width, height]) => [true, false].map((isDark) => ({ name, width, height, isDark }))))(
  "fits $name, dark: $isDark",
  async ({ name, width, height, isDark }) => {
    const { page } = suite;
    await page.setViewportSize({ width, height });
    await setTheme(isDark);
    const { body, signal } = await findHinge(page);
    await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
    await page.evaluate((index) => window.lockstep.store.selection.set({ kind: "body", index }), body);
    await page.keyboard.press("h");
    await page.keyboard.press("Space");
    await waitForTime(page, 1.5);
    await page.keyboard.press("Space");
    await drawn(page);
    await screenshot(page, `${name}-${isDark ? "dark" : "light"}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    const view = (await page.locator(".view").boundingBox())!;
    expect(view.width).toBeGreaterThan(300);
    expect(view.height).toBeGreaterThan(200);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>(".bar button, .viewbar button, .statusbar .state")]
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const box = element.getBoundingClientRect();
          return box.right > window.innerWidth || box.bottom > window.innerHeight || box.left < 0 || box.top < 0;
        })
        .map((element) => element.title || element.textContent),
    );
    expect(outside).toEqual([]);
  },
);

it.each([true, false])("has text with enough contrast, dark: %s", async (isDark) => {
  const { page } = suite;
  await page.setViewportSize({ width: 1280, height: 720 });
  await setTheme(isDark);
  await page.keyboard.press("?");
  const poor = await page.evaluate((least) => {
    const channels = (text: string): number[] => (text.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (rgb: number[]): number => {
      const [r, g, b] = rgb.map((value) => {
        const c = value / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element: Element | null): number[] => {
      for (let at = element; at; at = at.parentElement) {
        const color = channels(getComputedStyle(at).backgroundColor);
        if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
      }
      return [255, 255, 255];
    };
    const found: string[] = [];
    for (const element of document.querySelectorAll("body *")) {
      const hasText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim(),
      );
      const isOff = (element as HTMLButtonElement).disabled === true;
      if (!hasText || isOff || !element.checkVisibility() || element.closest(".visually-hidden, option")) continue;
      const [a, b] = [luminance(channels(getComputedStyle(element).color).slice(0, 3)), luminance(ground(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < least)
        found.push(`${element.className || element.tagName} "${element.textContent}": ${contrast.toFixed(2)}`);
    }
    return found;
  }, LEAST_CONTRAST);
  await screenshot(page, `help-${isDark ? "dark" : "light"}`);
  await page.keyboard.press("Escape");
  expect(poor).toEqual([]);
});

const CONTROLS = "button, input, select, [tabindex]";

/// Controls within `scope` that can be used now, numbered in data-stop; for tabs, trees and radio buttons the one that Tab reaches.
function numberControls(scope: string): Promise<number> {
  return suite.page.evaluate(
    ([scope, controls]) => {
      for (const element of document.querySelectorAll<HTMLElement>("[data-stop]")) delete element.dataset.stop;
      const stops = [...document.querySelectorAll<HTMLElement>(`${scope} :is(${controls})`)].filter((element) => {
        const isOneOfGroup = element.tabIndex < 0 && element.closest("[role=tablist], [role=tree], .plot");
        const isOtherRadio = element.matches("[type=radio]:not(:checked)");
        return element.checkVisibility() && !(element as HTMLButtonElement).disabled && !isOneOfGroup && !isOtherRadio;
      });
      stops.forEach((element, i) => (element.dataset.stop = String(i)));
      return stops.length;
    },
    [scope, CONTROLS] as const,
  );
}

/// Presses Tab until the focus has been on `count` controls; returns which were missed, and which have no name.
async function walk(count: number): Promise<{ missed: string[]; nameless: string[] }> {
  const { page } = suite;
  const [seen, nameless] = [new Set<string>(), [] as string[]];
  for (let i = 0; i < 2 * count + 20 && seen.size < count; ++i) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.stop);
    if (stop === undefined || seen.has(stop)) continue;
    seen.add(stop);
    // As a screen reader gets it: the role, then the name in quotes.
    const said = await page.locator(`[data-stop="${stop}"]`).ariaSnapshot();
    if (!/^- \S+ "\S/.test(said)) nameless.push(said);
  }
  const missed = await page.evaluate(
    (seen) =>
      [...document.querySelectorAll<HTMLElement>("[data-stop]")]
        .filter((element) => !seen.includes(element.dataset.stop!))
        .map((element) => element.outerHTML.slice(0, 160)),
    [...seen],
  );
  return { missed, nameless };
}

it("reaches every control by Tab, and each has a name", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
  await page.locator(".scenario").focus();
  const count = await numberControls("body");
  expect(count).toBeGreaterThan(30);
  expect(await walk(count)).toEqual({ missed: [], nameless: [] });
});

it.each(["Run…", "Snapshots", "Visibility", "Camera"])(
  "opens %s by keyboard, and reaches its controls",
  async (name) => {
    const { page } = suite;
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".menu:popover-open").waitFor();
    const count = await numberControls(".menu:popover-open");
    expect(count).toBeGreaterThan(1);
    expect(await walk(count)).toEqual({ missed: [], nameless: [] });
    await page.keyboard.press("Escape");
    await page.locator(".menu:popover-open").waitFor({ state: "detached" });
  },
);

it("walks the tree and hides an object by keyboard alone", async () => {
  const { page } = suite;
  await page.click("#tab-objects");
  await page.locator("[role=treeitem][tabindex='0']").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.lockstep.store.selection.value?.kind === "body");
  await page.keyboard.press("h");
  await page.waitForFunction(() => window.lockstep.store.hidden.value.size === 1);
});

it("resizes panels by keyboard", async () => {
  const { page } = suite;
  const width = async (): Promise<number> => (await page.locator(".panel.left").boundingBox())!.width;
  const before = await width();
  await page.getByLabel("Width of the left panel").focus();
  await page.keyboard.press("ArrowRight");
  expect(await width()).toBe(before + 16);
});
