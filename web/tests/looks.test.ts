// The page in both themes and several sizes: pictures to look at, contrast, names of controls, keys.

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
  ["tablet", 820, 1180],
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

it.each([true, false])("has text of enough contrast, dark: %s", async (isDark) => {
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
      const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim());
      const isOff = (element as HTMLButtonElement).disabled === true;
      if (!hasText || isOff || !element.checkVisibility() || element.closest(".visually-hidden, option")) continue;
      const [a, b] = [luminance(channels(getComputedStyle(element).color).slice(0, 3)), luminance(ground(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < least) found.push(`${element.className || element.tagName} "${element.textContent}": ${contrast.toFixed(2)}`);
    }
    return found;
  }, LEAST_CONTRAST);
  await screenshot(page, `help-${isDark ? "dark" : "light"}`);
  await page.keyboard.press("Escape");
  expect(poor).toEqual([]);
});

it("names every control, and reaches each by keyboard", async () => {
  const { page } = suite;
  const bad = await page.evaluate(() => {
    const named = (element: HTMLElement): boolean => {
      const labels = (element as HTMLInputElement).labels;
      return Boolean(element.ariaLabel || element.textContent?.trim() || labels?.length || element.title);
    };
    return [...document.querySelectorAll<HTMLElement>("button, input, select, [role=separator], [role=treeitem]")]
      .filter((element) => !named(element) || (element.tabIndex < 0 && !element.closest("[role=tablist], [role=tree]")))
      .map((element) => element.outerHTML.slice(0, 120));
  });
  expect(bad).toEqual([]);
});

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
