// The middle of the page: 3D views and groups of plots, side by side or one above the other. The arrangement is a tree of
// splits; each leaf is a pane that can be split, closed and shown on the full screen.

import { h } from "./dom.ts";
import { iconButton } from "./widgets.ts";

export type PaneKind = "view" | "plots";

export interface Leaf {
  kind: PaneKind;
  /// Names the pane within a layout.
  id: string;
}

export interface Split {
  split: "row" | "column";
  /// Of the first part, 0…1.
  share: number;
  a: PaneTree;
  b: PaneTree;
}

export type PaneTree = Leaf | Split;

export const MAX_PANES = 8;
const LEAST_SHARE = 0.1;

export const defaultTree: PaneTree = {
  split: "column",
  share: 0.68,
  a: { kind: "view", id: "view1" },
  b: { kind: "plots", id: "plots1" },
};

export function leavesOf(tree: PaneTree): Leaf[] {
  return "split" in tree ? [...leavesOf(tree.a), ...leavesOf(tree.b)] : [tree];
}

/// Splits a pane; the new one is to the right ("row") or below ("column").
export function splitLeaf(tree: PaneTree, id: string, split: "row" | "column", added: Leaf): PaneTree {
  if ("split" in tree)
    return { ...tree, a: splitLeaf(tree.a, id, split, added), b: splitLeaf(tree.b, id, split, added) };
  return tree.id === id ? { split, share: 0.5, a: tree, b: added } : tree;
}

/// Without a pane; null if it was the only one.
export function removeLeaf(tree: PaneTree, id: string): PaneTree | null {
  if (!("split" in tree)) return tree.id === id ? null : tree;
  const [a, b] = [removeLeaf(tree.a, id), removeLeaf(tree.b, id)];
  return a && b ? { ...tree, a, b } : (a ?? b);
}

/// A tree from a file or link: untrusted.
export function readTree(value: unknown, depth = 0): PaneTree {
  const fail = (): never => {
    throw new Error("this is not a layout of Lockstep");
  };
  if (typeof value !== "object" || value === null || depth > MAX_PANES) return fail();
  const given = value as Partial<Split & Leaf>;
  if (given.split === "row" || given.split === "column") {
    const share = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, Number(given.share)));
    if (!Number.isFinite(share)) return fail();
    return { split: given.split, share, a: readTree(given.a, depth + 1), b: readTree(given.b, depth + 1) };
  }
  if ((given.kind !== "view" && given.kind !== "plots") || !/^[a-z]+\d{1,4}$/.test(String(given.id))) return fail();
  return { kind: given.kind, id: given.id! };
}

/// What fills a pane.
export interface PaneContent {
  element: HTMLElement;
  dispose(): void;
}

export class Panes {
  readonly element = h("main", { class: "center" });
  readonly #make: (leaf: Leaf) => PaneContent;
  readonly #changed: () => void;
  readonly #shown = new Map<string, { content: PaneContent; pane: HTMLElement }>();
  #tree: PaneTree = defaultTree;

  /// `make` makes the content of a new pane; `changed` is called when the user has changed the arrangement.
  constructor(make: (leaf: Leaf) => PaneContent, changed: () => void) {
    this.#make = make;
    this.#changed = changed;
    this.tree = defaultTree;
  }

  get tree(): PaneTree {
    return this.#tree;
  }

  set tree(tree: PaneTree) {
    this.#tree = tree;
    const ids = new Set(leavesOf(tree).map(({ id }) => id));
    for (const [id, { content, pane }] of this.#shown) {
      if (ids.has(id)) continue;
      content.dispose();
      pane.remove();
      this.#shown.delete(id);
    }
    this.element.replaceChildren(this.#render(tree));
  }

  content(id: string): PaneContent | undefined {
    return this.#shown.get(id)?.content;
  }

  /// Adds a pane beside another of the same kind, or at the end.
  add(kind: PaneKind): void {
    const leaves = leavesOf(this.#tree);
    const beside = leaves.findLast((leaf) => leaf.kind === kind) ?? leaves.at(-1)!;
    this.#split(beside.id, "row", kind);
  }

  #split(id: string, way: "row" | "column", kind: PaneKind): void {
    const leaves = leavesOf(this.#tree);
    if (leaves.length >= MAX_PANES) return;
    let number = 1;
    while (leaves.some((leaf) => leaf.id === `${kind}${number}`)) ++number;
    this.tree = splitLeaf(this.#tree, id, way, { kind, id: `${kind}${number}` });
    this.#changed();
  }

  #close(id: string): void {
    const rest = removeLeaf(this.#tree, id);
    if (!rest) return;
    this.tree = rest;
    this.#changed();
  }

  #render(tree: PaneTree): HTMLElement {
    if (!("split" in tree)) return this.#paneOf(tree);
    const [a, b] = [this.#render(tree.a), this.#render(tree.b)];
    const element = h("div", { class: `split ${tree.split === "row" ? "across" : "down"}` }, a, b);
    const setShare = (share: number): void => {
      tree.share = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
      a.style.flex = `${tree.share} 1 0`;
      b.style.flex = `${1 - tree.share} 1 0`;
      divider.setAttribute("aria-valuenow", String(Math.round(100 * tree.share)));
    };
    const divider = this.#makeDivider(tree, element, setShare);
    a.after(divider);
    setShare(tree.share);
    return element;
  }

  #makeDivider(tree: Split, element: HTMLElement, setShare: (share: number) => void): HTMLElement {
    const isRow = tree.split === "row";
    const divider: HTMLElement = h("div", {
      class: `splitter ${isRow ? "vertical" : "horizontal"}`,
      role: "separator",
      tabindex: 0,
      "aria-label": isRow ? "Width of the pane on the left" : "Height of the pane above",
      "aria-orientation": isRow ? "vertical" : "horizontal",
      onpointerdown: (event: PointerEvent) => divider.setPointerCapture(event.pointerId),
      onpointermove: (event: PointerEvent) => {
        if (!divider.hasPointerCapture(event.pointerId)) return;
        const box = element.getBoundingClientRect();
        setShare(isRow ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height);
      },
      onpointerup: () => this.#changed(),
      onkeydown: (event: KeyboardEvent) => {
        const way = (isRow ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"]).indexOf(event.key);
        if (way < 0) return;
        event.preventDefault();
        event.stopPropagation();
        setShare(tree.share + (2 * way - 1) * 0.02);
        this.#changed();
      },
    });
    return divider;
  }

  #paneOf(leaf: Leaf): HTMLElement {
    const known = this.#shown.get(leaf.id);
    if (known) return known.pane;
    const content = this.#make(leaf);
    const fullScreen = (): void => {
      if (document.fullscreenElement) void document.exitFullscreen();
      else void pane.requestFullscreen();
    };
    const pane: HTMLElement = h(
      "div",
      { class: `pane ${leaf.kind}-pane`, "data-pane": leaf.id },
      content.element,
      h(
        "div",
        { class: "pane-tools", role: "group", "aria-label": `Pane ${leaf.id}` },
        iconButton("splitRight", "Split: another pane to the right", () => this.#split(leaf.id, "row", leaf.kind)),
        iconButton("splitDown", "Split: another pane below", () => this.#split(leaf.id, "column", leaf.kind)),
        iconButton("focus", "Full screen", fullScreen),
        iconButton("close", "Close this pane", () => this.#close(leaf.id)),
      ),
    );
    this.#shown.set(leaf.id, { content, pane });
    return pane;
  }
}
