// The page layout: top bar, workspaces with their panels, timeline and status bar.

import { h } from "./dom.ts";
import { splitter, Tabs, type Tab } from "./widgets.ts";

/// The workspace for watching and controlling a run: tree and signals, the 3D view over the plots, the inspector.
export function makeSimulateWorkspace(parts: {
  left: readonly Tab[];
  right: readonly Tab[];
  view: HTMLElement;
  plots: HTMLElement;
}): { element: HTMLElement; left: Tabs; right: Tabs } {
  const left = new Tabs("Scene", parts.left);
  const right = new Tabs("Details", parts.right);
  const element: HTMLElement = h("div", { class: "workspace" });
  const size = (name: string) => (pixels: number) => element.style.setProperty(name, `${pixels}px`);
  const side = { isVertical: true, initial: 260, least: 160, most: () => Math.min(520, window.innerWidth / 3) };
  element.append(
    h("aside", { class: "panel left", "aria-label": "Scene" }, left.list, left.panels),
    splitter({ ...side, name: "left", label: "Width of the left panel", sign: 1, apply: size("--left") }),
    h(
      "main",
      { class: "center" },
      parts.view,
      splitter({
        name: "plots",
        label: "Height of the plots",
        isVertical: false,
        sign: -1,
        initial: Math.round(window.innerHeight * 0.3),
        least: 44,
        most: () => window.innerHeight * 0.6,
        apply: size("--plots"),
      }),
      parts.plots,
    ),
    splitter({
      ...side,
      name: "right",
      label: "Width of the right panel",
      initial: 290,
      sign: -1,
      apply: size("--right"),
    }),
    h("aside", { class: "panel right", "aria-label": "Details" }, right.list, right.panels),
  );
  return { element, left, right };
}
