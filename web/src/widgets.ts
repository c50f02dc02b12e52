// Controls used by the panels. All are keyboard-accessible and have an accessible name.

import { h, recall, remember } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";
import { formatNumber, formatUnit, formatValue } from "./format.ts";
import type { Limit } from "./protocol.ts";

/// An icon button; its label is also its tooltip.
export function iconButton(name: IconName, label: string, onclick: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "icon-button", title: label, "aria-label": label, onclick }, icon(name));
}

export function setPressed(button: HTMLButtonElement, isPressed: boolean): void {
  button.setAttribute("aria-pressed", String(isPressed));
}

export function setIcon(button: HTMLButtonElement, name: IconName, label: string): void {
  if (button.dataset.icon === name && button.title === label) return;
  button.dataset.icon = name;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.replaceChildren(icon(name));
}

export function checkbox(label: string, isOn: boolean, changed: (isOn: boolean) => void): HTMLLabelElement {
  const input = h("input", { type: "checkbox", checked: isOn, onchange: () => changed(input.checked) });
  return h("label", { class: "check" }, input, label);
}

let menuCount = 0;

/// A popover that opens below a button. `fill` rebuilds its content each time. A wide one starts at the right, and takes
/// the width that it needs. Returns a function that closes it.
export function menu(
  button: HTMLButtonElement,
  label: string,
  fill: (close: () => void) => Node[],
  isWide = false,
): () => void {
  const id = `menu${++menuCount}`;
  const classes = isWide ? "menu wide" : "menu";
  const panel = h("div", { id, class: classes, popover: "auto", role: "dialog", "aria-label": label });
  button.setAttribute("popovertarget", id);
  button.setAttribute("aria-haspopup", "dialog");
  let isOpen = false;
  panel.addEventListener("beforetoggle", (event) => {
    isOpen = event.newState === "open";
    if (!isOpen) return;
    panel.replaceChildren(...fill(() => panel.hidePopover()));
    const box = button.getBoundingClientRect();
    const isLow = box.top > window.innerHeight / 2;
    panel.style.left = isWide ? "auto" : `${Math.max(8, Math.min(box.left, window.innerWidth - 320))}px`;
    panel.style.right = isWide ? "8px" : "auto";
    panel.style.top = isLow ? "auto" : `${box.bottom + 6}px`;
    panel.style.bottom = isLow ? `${window.innerHeight - box.top + 6}px` : "auto";
  });
  document.body.append(panel);
  return () => isOpen && panel.hidePopover();
}

export interface Tab {
  id: string;
  title: string;
  content: HTMLElement;
}

/// Tabs. With a single content there is no row of tabs.
export class Tabs {
  readonly list: HTMLElement;
  readonly panels: HTMLElement;
  readonly #tabs: readonly Tab[];
  readonly #buttons: HTMLButtonElement[];

  constructor(label: string, tabs: readonly Tab[]) {
    this.#tabs = tabs;
    this.#buttons = tabs.map(({ id, title, content }) => {
      content.id = `panel-${id}`;
      content.setAttribute("role", "tabpanel");
      content.setAttribute("aria-label", title);
      const attributes = { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` };
      return h("button", { ...attributes, class: "tab", onclick: () => this.show(id) }, title);
    });
    this.list = h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": label, hidden: tabs.length < 2 },
      ...this.#buttons,
    );
    this.list.addEventListener("keydown", (event) => this.#move(event));
    this.panels = h("div", { class: "tab-panels" }, ...tabs.map((tab) => tab.content));
    if (tabs[0]) this.show(tabs[0].id);
  }

  show(id: string): void {
    this.#tabs.forEach((tab, i) => {
      const isShown = tab.id === id;
      tab.content.hidden = !isShown;
      this.#buttons[i]!.setAttribute("aria-selected", String(isShown));
      this.#buttons[i]!.tabIndex = isShown ? 0 : -1;
    });
  }

  #move(event: KeyboardEvent): void {
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (way === 0) return;
    const now = this.#buttons.findIndex((button) => button.getAttribute("aria-selected") === "true");
    const next = (now + way + this.#tabs.length) % this.#tabs.length;
    this.show(this.#tabs[next]!.id);
    this.#buttons[next]!.focus();
    event.preventDefault();
  }
}

export interface SliderOptions {
  label: string;
  unit: string;
  lower?: Limit;
  upper?: Limit;
  value: number;
  doc?: string;
  /// Report the value only on release, because a change is expensive.
  waits?: boolean;
  /// Distance between two allowed values.
  step?: Limit;
  /// The slider moves by factors instead of differences.
  isLog?: boolean;
  /// Called while the slider moves (or on release, if it waits), and when a number was typed.
  changed: (value: number) => void;
}

export interface Slider {
  element: HTMLElement;
  /// Shows the server's value, unless the user is dragging.
  show(value: number): void;
  /// The server has rejected the last change.
  revert(value: number): void;
}

/// Factor to the ends of a slider that moves by factors and has no limit.
const LOG_REACH = 100;
/// Digits of the values of a slider without steps: more than it has pixels.
const SLIDER_DIGITS = 4;

/// The nearest allowed value: a multiple of the step, or a number that can be read.
export function roundTo(value: number, step: Limit): number {
  return Number(step ? (Math.round(value / step) * step).toPrecision(12) : value.toPrecision(SLIDER_DIGITS));
}

/// Without limits the range is half a turn each way, or enough to contain the value.
function rangeOf({ lower, upper, unit, value, isLog, step }: SliderOptions): [number, number] {
  if (isLog) {
    const [low, high] = [Math.max(value / LOG_REACH, step ?? 0), value * LOG_REACH];
    return [Math.max(low, lower ?? low), Math.min(high, upper ?? high)];
  }
  const half = unit === "rad" ? Math.PI : Math.max(1, 2 * Math.abs(value || 0));
  return [lower ?? Math.min(-half, upper ?? 0), upper ?? Math.max(half, lower ?? 0)];
}

export function slider(options: SliderOptions): Slider {
  const { label, unit, doc, changed } = options;
  const [low, high] = rangeOf(options);
  const isLog = options.isLog === true && low > 0;
  const toRange = (value: number): number => (isLog ? Math.log10(Math.max(value, low)) : value);
  const fromRange = (): number => {
    const at = isLog ? 10 ** range.valueAsNumber : range.valueAsNumber;
    const rounded = roundTo(at, options.step);
    return Math.min(options.upper ?? Infinity, Math.max(options.lower ?? -Infinity, rounded));
  };
  const attributes = {
    min: toRange(low),
    max: toRange(high),
    step: "any",
    "aria-label": label,
    value: toRange(options.value),
  };
  const range = h("input", { type: "range", ...attributes });
  const number = h("input", {
    type: "number",
    step: "any",
    "aria-label": `${label}, number`,
    min: options.lower ?? undefined,
    max: options.upper ?? undefined,
  });
  const output = h("span", { class: "value" });
  const display = (value: number): void => {
    if (document.activeElement !== number)
      number.value = Number.isFinite(value) ? String(Number(value.toPrecision(5))) : "";
    const text = Number.isFinite(value) ? formatValue(value, unit) : "–";
    output.textContent = text;
    range.setAttribute("aria-valuetext", text);
  };
  let isHeld = false;
  range.addEventListener("pointerdown", () => (isHeld = true));
  for (const type of ["pointerup", "pointercancel", "change"]) range.addEventListener(type, () => (isHeld = false));
  range.addEventListener("input", () => {
    display(fromRange());
    if (!options.waits) changed(fromRange());
  });
  range.addEventListener("change", () => {
    if (options.waits) changed(fromRange());
  });
  number.addEventListener("change", () => {
    if (!number.checkValidity() || Number.isNaN(number.valueAsNumber)) {
      number.reportValidity();
      return;
    }
    const typed = options.step ? roundTo(number.valueAsNumber, options.step) : number.valueAsNumber;
    range.valueAsNumber = toRange(typed);
    changed(typed);
  });
  display(options.value);
  const limit = (value: Limit): string => (value === null || value === undefined ? "no limit" : formatNumber(value, 3));
  const limits = `${limit(options.lower)} … ${limit(options.upper)} ${formatUnit(unit)}`;
  return {
    element: h(
      "div",
      { class: "slider", title: doc ? `${doc}\n${limits}` : limits },
      h("div", { class: "slider-head" }, h("span", { class: "name" }, label), output),
      h("div", { class: "slider-row" }, range, number),
      h("div", { class: "limits" }, h("span", {}, limit(options.lower)), h("span", {}, limit(options.upper))),
    ),
    show: (value) => {
      if (isHeld || document.activeElement === number || !Number.isFinite(value)) return;
      range.valueAsNumber = toRange(value);
      display(value);
    },
    revert: (value) => {
      range.valueAsNumber = toRange(value);
      number.value = String(value);
      display(value);
    },
  };
}

/// A movable border between two panels; `apply` receives the size of its panel in pixels.
export function splitter(options: {
  name: string;
  label: string;
  isVertical: boolean;
  /// 1 if moving right or down enlarges the panel, else -1.
  sign: 1 | -1;
  initial: number;
  least: number;
  most: () => number;
  apply: (size: number) => void;
}): HTMLElement {
  const { name, isVertical, sign, least, most, apply } = options;
  let size = Number(recall(`size.${name}`) ?? options.initial);
  const set = (wanted: number): void => {
    size = Math.round(Math.max(least, Math.min(most(), wanted)));
    apply(size);
    element.setAttribute("aria-valuenow", String(size));
    remember(`size.${name}`, String(size));
  };
  const element = h("div", {
    class: `splitter ${isVertical ? "vertical" : "horizontal"}`,
    role: "separator",
    tabindex: 0,
    "aria-label": options.label,
    "aria-orientation": isVertical ? "vertical" : "horizontal",
    "aria-valuemin": least,
    onpointerdown: (event: PointerEvent) => {
      element.setPointerCapture(event.pointerId);
      const start = (isVertical ? event.clientX : event.clientY) - sign * size;
      const move = (next: PointerEvent): void => set(sign * ((isVertical ? next.clientX : next.clientY) - start));
      element.addEventListener("pointermove", move);
      element.addEventListener("pointerup", () => element.removeEventListener("pointermove", move), { once: true });
    },
    onkeydown: (event: KeyboardEvent) => {
      const keys = isVertical ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
      const way = keys.indexOf(event.key) * 2 - 1;
      if (!keys.includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      set(size + sign * way * 16);
    },
  });
  queueMicrotask(() => set(size));
  window.addEventListener("resize", () => set(size));
  return element;
}
