// The workspace of a run: tree and signals, panes with 3D views and plots, the inspector; and its layout, which is kept.

import type { App } from "./app.ts";
import { h } from "./dom.ts";
import { fromFragment, recallLayout, rememberLayout, type CameraPose, type Layout } from "./layouts.ts";
import { Panes, defaultTree, leavesOf, type Leaf, type PaneContent } from "./panes.ts";
import { makeExtraPlots } from "./plots/extra_plots.ts";
import type { Plots } from "./plots/plots.ts";
import { makeExtraView } from "./scene/extra_view.ts";
import { defaultSettings } from "./scene/settings.ts";
import type { View } from "./scene/view.ts";
import { FRAMES_PER_SECOND } from "./subscriptions.ts";
import { Cell } from "./store.ts";
import { splitter, Tabs, type Tab } from "./widgets.ts";

/// Changes within this time are stored together.
const MS_TO_SAVE = 300;

/// The panes that show the first view and the first group of plots, which the rest of the page refers to.
const MAIN_VIEW = "view1";
const MAIN_PLOTS = "plots1";

export class Workspace {
  readonly element: HTMLElement = h("div", { class: "workspace" });
  readonly left: Tabs;
  readonly right: Tabs;
  readonly panes: Panes;
  readonly isLeftOpen = new Cell(true);
  readonly isRightOpen = new Cell(true);
  readonly #app: App;
  readonly #viewElement: HTMLElement;
  readonly #views = new Map<string, View>();
  readonly #plots = new Map<string, Plots>();
  #path: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isApplying = false;
  /// Of the link that opened the page; used for the first scenario.
  #linked = fromFragmentSafely(location.hash);

  constructor(app: App, parts: { left: readonly Tab[]; right: readonly Tab[]; view: HTMLElement }) {
    this.#app = app;
    this.#viewElement = parts.view;
    this.left = new Tabs("Scene", parts.left);
    this.right = new Tabs("Details", parts.right);
    this.panes = new Panes(
      (leaf) => this.#makeContent(leaf),
      () => this.#note(),
    );
    const size = (name: string) => (pixels: number) => this.element.style.setProperty(name, `${pixels}px`);
    const side = { isVertical: true, initial: 260, least: 160, most: () => Math.min(520, window.innerWidth / 3) };
    const right = { initial: 290, sign: -1 as const, apply: size("--right") };
    this.element.append(
      h("aside", { class: "panel left", "aria-label": "Scene" }, this.left.list, this.left.panels),
      splitter({ ...side, name: "left", label: "Width of the left panel", sign: 1, apply: size("--left") }),
      this.panes.element,
      splitter({ ...side, ...right, name: "right", label: "Width of the right panel" }),
      h("aside", { class: "panel right", "aria-label": "Details" }, this.right.list, this.right.panels),
    );
    this.isLeftOpen.watch((isOpen) => this.element.classList.toggle("no-left", !isOpen));
    this.isRightOpen.watch((isOpen) => this.element.classList.toggle("no-right", !isOpen));
    for (const cell of [this.isLeftOpen, this.isRightOpen]) cell.watch(() => this.#note());
    app.settings.watch(() => this.#note());
    window.addEventListener("pagehide", () => this.#save());
  }

  /// Call after the view and the plots follow the scene.
  followScene(): void {
    this.#app.store.scene.watch((scene) => {
      if (!scene || scene.path === this.#path) return;
      this.#save();
      this.#path = scene.path;
      const layout = this.#linked ?? recallLayout(scene.path);
      this.#linked = null;
      if (layout) void this.apply(layout);
    });
  }

  #makeContent({ kind, id }: Leaf): PaneContent {
    if (kind === "view") {
      const fps = Number(new URLSearchParams(location.search).get("fps")) || FRAMES_PER_SECOND;
      const isMain = id === MAIN_VIEW;
      const made = isMain
        ? { element: this.#viewElement, view: this.#app.view, dispose: () => undefined }
        : makeExtraView(this.#app, fps);
      made.view.rig.controls.addEventListener("end", () => this.#note());
      this.#views.set(id, made.view);
      return { element: made.element, dispose: () => (made.dispose(), this.#views.delete(id)) };
    }
    const isMain = id === MAIN_PLOTS;
    const made = isMain
      ? { element: this.#app.plots.element, plots: this.#app.plots, dispose: () => undefined }
      : makeExtraPlots(this.#app, id, () => this.#note());
    if (isMain) made.plots.onChanged = () => this.#note();
    this.#plots.set(id, made.plots);
    return { element: made.element, dispose: () => (made.dispose(), this.#plots.delete(id)) };
  }

  get layout(): Layout {
    const cameras: Record<string, CameraPose> = {};
    for (const [id, view] of this.#views) {
      const pose = view.cameraPose;
      if (pose) cameras[id] = pose;
    }
    return {
      version: 1,
      left: this.isLeftOpen.value,
      right: this.isRightOpen.value,
      panes: structuredClone(this.panes.tree),
      settings: this.#app.settings.value,
      plots: Object.fromEntries([...this.#plots].map(([id, plots]) => [id, plots.content])),
      cameras,
    };
  }

  async apply(layout: Layout): Promise<void> {
    this.#isApplying = true;
    try {
      this.isLeftOpen.set(layout.left);
      this.isRightOpen.set(layout.right);
      this.panes.tree = structuredClone(layout.panes);
      this.#app.settings.set(layout.settings);
      for (const { id } of leavesOf(layout.panes)) {
        const camera = layout.cameras[id];
        if (camera) this.#views.get(id)?.setCameraPose(camera);
        const plots = layout.plots[id];
        if (plots) await this.#plots.get(id)?.restore(plots);
      }
    } finally {
      this.#isApplying = false;
    }
    this.#note();
  }

  reset(): void {
    void this.apply({
      version: 1,
      left: true,
      right: true,
      panes: defaultTree,
      settings: defaultSettings,
      plots: {},
      cameras: {},
    }).then(() => this.#app.view.look("home"));
  }

  #note(): void {
    if (this.#isApplying || this.#path === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), MS_TO_SAVE);
  }

  #save(): void {
    clearTimeout(this.#timer);
    if (this.#path !== undefined && !this.#isApplying) rememberLayout(this.#path, this.layout);
  }
}

function fromFragmentSafely(fragment: string): Layout | null {
  try {
    return fromFragment(fragment);
  } catch {
    return null; // a damaged link opens the page as it is
  }
}
