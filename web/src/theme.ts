// Dark or light theme: the system's setting until the user chooses. The colours are in style/theme.css.

import { Color } from "three";
import { recall, remember } from "./dom.ts";
import type { ViewColors } from "./scene/view.ts";
import { Cell } from "./store.ts";

export function makeTheme(): Cell<boolean> {
  const kept = recall("theme");
  const isDark = new Cell(kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  isDark.watch((dark) => (document.documentElement.dataset.theme = dark ? "dark" : "light"));
  return isDark;
}

export function toggleTheme(isDark: Cell<boolean>): void {
  isDark.set(!isDark.value);
  remember("theme", isDark.value ? "dark" : "light");
}

export function viewColors(isDark: boolean): ViewColors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): Color => new Color(style.getPropertyValue(name).trim());
  return { background: color("--sky"), grid: color("--grid"), accent: color("--accent"), isDark };
}
