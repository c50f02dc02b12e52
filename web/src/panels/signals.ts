// The signal list: search, then drag (or press +) to plot.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { icon } from "../icons.ts";
import { formatUnit } from "../format.ts";
import type { Role, Signal } from "../protocol.ts";
import { iconButton } from "../widgets.ts";
import { makeFormulaForm } from "./formula.ts";

const MAX_ROWS = 300;
const ROLES: Record<Role, string> = {
  measurement: "measured",
  command: "command",
  internal: "internal",
  timing: "timing",
};

/// Matches if each search word occurs in the name, unit or role.
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
    list.replaceChildren(...found.slice(0, MAX_ROWS).map(row));
    if (found.length > MAX_ROWS)
      list.append(h("li", { class: "hint" }, `${found.length - MAX_ROWS} more. Search to find them.`));
    if (found.length === 0) list.append(h("li", { class: "hint" }, "No matching signals."));
  }

  search.addEventListener("input", draw);
  app.store.scene.watch(draw);
  const searchBar = h("div", { class: "search" }, icon("search"), search);
  return h("div", { class: "panel-content" }, searchBar, list, makeFormulaForm(app));
}
