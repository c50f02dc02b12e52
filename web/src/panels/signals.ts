// The list of signals: search, and drag (or +) into a plot.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { icon } from "../icons.ts";
import { formatUnit } from "../format.ts";
import type { Role, Signal } from "../protocol.ts";
import { iconButton } from "../widgets.ts";

const MOST_ROWS = 300;
const ROLES: Record<Role, string> = {
  measurement: "measured",
  command: "command",
  internal: "internal",
  timing: "timing",
};

/// All words must occur in the name, the unit or the role.
export function matches(signal: Signal, words: readonly string[]): boolean {
  const text = `${signal.name} ${signal.unit} ${ROLES[signal.role]}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export function makeSignals(app: App): HTMLElement {
  const search = h("input", { type: "search", placeholder: "Search signals", "aria-label": "Search signals" });
  const list = h("ul", { class: "signals", "aria-label": "Signals" });

  function row(signal: Signal): HTMLElement {
    const add = iconButton("plus", `Plot ${signal.name}`, () => app.plots.addSignal(signal.name));
    const attributes = {
      class: `signal ${signal.role}`,
      draggable: "true",
      title: `${signal.name} (${ROLES[signal.role]})`,
    };
    const unit = h("span", { class: "muted" }, formatUnit(signal.unit));
    const element = h("li", attributes, h("span", { class: "name" }, signal.name), unit, add);
    element.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/x-signal", signal.name));
    element.addEventListener("dblclick", () => app.plots.addSignal(signal.name));
    return element;
  }

  function draw(): void {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (app.store.scene.value?.signals ?? []).filter((signal) => matches(signal, words));
    list.replaceChildren(...found.slice(0, MOST_ROWS).map(row));
    if (found.length > MOST_ROWS)
      list.append(h("li", { class: "hint" }, `${found.length - MOST_ROWS} more: search for them`));
    if (found.length === 0) list.append(h("li", { class: "hint" }, "No signal has that name."));
  }

  search.addEventListener("input", draw);
  app.store.scene.watch(draw);
  return h("div", { class: "panel-content" }, h("div", { class: "search" }, icon("search"), search), list);
}
