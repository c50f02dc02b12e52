// Layouts: which panels and panes are open, what the plots show, where the cameras are. The present one is kept over a
// reload; others have names, and can be shared as a file or a link.

import { recall, remember } from "./dom.ts";
import { CHART_KINDS, type ChartKind } from "./plots/chart.ts";
import type { PlotContent } from "./plots/plots.ts";
import { leavesOf, readTree, type PaneTree } from "./panes.ts";
import { defaultSettings, type ViewSettings } from "./scene/settings.ts";

export interface CameraPose {
  position: number[];
  target: number[];
}

export interface Layout {
  version: 1;
  left: boolean;
  right: boolean;
  panes: PaneTree;
  settings: ViewSettings;
  /// By id of the pane.
  plots: Record<string, PlotContent[]>;
  cameras: Record<string, CameraPose>;
}

const MAX_PLOTS = 50;
const MAX_SIGNALS = 50;
const MAX_NAMED = 50;

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === 3 && value.every((each) => Number.isFinite(each));

function readPlots(value: unknown): PlotContent[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_PLOTS).flatMap((each: Partial<PlotContent> | null) => {
    const isKnown = Object.hasOwn(CHART_KINDS, String(each?.kind)) && Array.isArray(each?.signals);
    if (!isKnown) return [];
    const signals = each.signals!.filter((name) => typeof name === "string").slice(0, MAX_SIGNALS);
    return [{ kind: each.kind as ChartKind, signals }];
  });
}

/// A layout from a file, a link or the browser's storage: untrusted. Throws an Error.
export function readLayout(text: string): Layout {
  const given = JSON.parse(text) as Partial<Layout> | null;
  if (typeof given !== "object" || given === null || given.version !== 1)
    throw new Error("this is not a layout of Lockstep");
  const panes = readTree(given.panes);
  const settings = { ...defaultSettings };
  for (const key of Object.keys(settings) as (keyof ViewSettings)[])
    if (typeof given.settings?.[key] === "boolean") settings[key] = given.settings[key];
  const layout: Layout = {
    version: 1,
    left: given.left !== false,
    right: given.right !== false,
    panes,
    settings,
    plots: {},
    cameras: {},
  };
  for (const { id, kind } of leavesOf(panes)) {
    const camera = given.cameras?.[id];
    if (kind === "plots") layout.plots[id] = readPlots(given.plots?.[id]);
    else if (isVector(camera?.position) && isVector(camera.target))
      layout.cameras[id] = { position: [...camera.position], target: [...camera.target] };
  }
  return layout;
}

function find(key: string): Layout | null {
  try {
    const text = recall(key);
    return text === null ? null : readLayout(text);
  } catch {
    return null; // of an older version
  }
}

/// The layout that was left, for this scenario.
export function recallLayout(path: string): Layout | null {
  return find(`layout.${path}`);
}

export function rememberLayout(path: string, layout: Layout): void {
  remember(`layout.${path}`, JSON.stringify(layout));
}

export function listNamed(): Map<string, Layout> {
  const named = new Map<string, Layout>();
  try {
    const all = JSON.parse(recall("layouts") ?? "{}") as Record<string, unknown>;
    for (const [name, layout] of Object.entries(all)) named.set(name, readLayout(JSON.stringify(layout)));
  } catch {
    // Damaged storage: there are none.
  }
  return named;
}

export function setNamed(name: string, layout: Layout | null): void {
  const named = listNamed();
  if (layout) named.set(name, layout);
  else named.delete(name);
  remember("layouts", JSON.stringify(Object.fromEntries([...named].slice(-MAX_NAMED))));
}

/// The fragment of a link, "#layout=…".
export function toFragment(layout: Layout): string {
  const bytes = new TextEncoder().encode(JSON.stringify(layout));
  const text = btoa(String.fromCharCode(...bytes));
  return `#layout=${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

export function fromFragment(fragment: string): Layout | null {
  const text = /^#layout=([\w-]+)$/.exec(fragment)?.[1];
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return readLayout(new TextDecoder().decode(bytes));
}
