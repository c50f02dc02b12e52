// Contrast of the colours in both themes, as WCAG 2.1 AA requires: 4.5 : 1 for text, 3 : 1 for other controls and signs.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LINE_COLORS } from "../plots/colors.ts";

const TEXT = 4.5;
const SIGN = 3;

const css = readFileSync(new URL("./theme.css", import.meta.url), "utf8");

/// The colours of a block of theme.css by name; the dark theme inherits from the light one.
function themeOf(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name!, color!]));
}

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const PAIRS: [string, string, number][] = [
  ...["panel", "raised", "ground", "selected"].flatMap((on): [string, string, number][] => [
    ["text", on, TEXT],
    ["muted", on, TEXT],
    ["bad", on, TEXT],
    ["accent", on, TEXT],
  ]),
  ["good", "panel", SIGN],
  ["on-accent", "accent", TEXT],
  ["warn-text", "warn-ground", TEXT],
  ["control-line", "panel", SIGN],
  ["accent", "sky", SIGN],
];

it("gives 21 : 1 for black on white", () => expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5));

it.each([":root", ':root[data-theme="dark"]'])("%s has enough contrast in all pairs", (selector) => {
  const theme = themeOf(selector);
  const poor = PAIRS.flatMap(([front, back, least]) => {
    const found = contrast(theme.get(front)!, theme.get(back)!);
    return found >= least ? [] : [`${front} on ${back}: ${found.toFixed(2)}`];
  });
  for (const color of LINE_COLORS) {
    const found = contrast(color, theme.get("panel")!);
    if (found < SIGN) poor.push(`${color} on panel: ${found.toFixed(2)}`);
  }
  expect(theme.size).toBeGreaterThan(10);
  expect(poor).toEqual([]);
});
