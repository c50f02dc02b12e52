// Keyboard shortcuts, and the dialog that lists them.

import type { App } from "./app.ts";
import { h } from "./dom.ts";
import { reloadScenario, type OpenDialog } from "./panels/open.ts";
import { toggleLoop } from "./panels/timeline.ts";
import { changeSpeed, saveSnapshot, step, togglePlay } from "./panels/transport.ts";
import { takeScreenshot, toggleSetting } from "./panels/viewbar.ts";
import { iconButton } from "./widgets.ts";

interface Shortcut {
  keys: string[]; // as KeyboardEvent.key gives them
  shown: string;
  what: string;
  act(): void;
}

const STEPS_AT_ONCE = 10;

export class Shortcuts {
  readonly sheet: HTMLDialogElement;
  readonly #list: readonly Shortcut[];

  constructor(app: App, open: OpenDialog, toggleTheme: () => void) {
    const selected = (): number | null => {
      const selection = app.store.selection.value;
      return selection?.kind === "body" ? selection.index : null;
    };
    const entry = (key: string, what: string, act: () => void, shown = key.toUpperCase(), others = ""): Shortcut => ({
      keys: [key, ...others],
      shown,
      what,
      act,
    });
    this.#list = [
      entry(" ", "Play or pause", () => togglePlay(app), "Space"),
      entry(".", "One step", () => void step(app, 1), "."),
      // Shift and the dot key give ">" or ":", depending on the keyboard.
      entry(">", `${STEPS_AT_ONCE} steps`, () => void step(app, STEPS_AT_ONCE), "Shift .", ":"),
      entry("Home", "Reset to time 0", () => void app.run(app.request("reset")), "Home"),
      // Brackets need AltGr on many keyboards, plus and minus do not.
      entry("-", "Slower", () => changeSpeed(app, -1), "−", "["),
      entry("+", "Faster", () => changeSpeed(app, 1), "+", "]="),
      entry("l", "Loop over the zoomed range of the plots, or the last seconds", () => toggleLoop(app)),
      entry("s", "Save a snapshot", () => void saveSnapshot(app)),
      entry("o", "Open a scenario", () => void open.show()),
      entry("r", "Reload the scenario file", () => void reloadScenario(app)),
      entry("h", "Show everything", () => app.view.look("home")),
      entry("f", "Focus on the selected body", () => selected() !== null && app.view.focusBody(selected()!)),
      entry("w", "Wireframe", () => toggleSetting(app, "wireframe")),
      entry("v", "Collision shapes", () => toggleSetting(app, "collision")),
      entry("a", "Joint axes", () => toggleSetting(app, "axes")),
      entry("n", "Contact forces", () => toggleSetting(app, "contacts")),
      entry("g", "Ground grid", () => toggleSetting(app, "grid")),
      entry("p", "Pull tool", () => app.isPulling.update((isOn) => !isOn)),
      entry("m", "Measure distances and angles", () => app.isMeasuring.update((isOn) => !isOn)),
      entry("c", "Save an image of the view", () => void takeScreenshot(app)),
      entry("k", "Pause or resume the plots", () => app.plots.togglePause()),
      entry("t", "Toggle dark theme", toggleTheme),
      entry("/", "Search objects", () => document.querySelector<HTMLElement>("[aria-label='Search objects']")?.focus()),
      entry("Escape", "Deselect", () => app.store.selection.set(null), "Esc"),
      entry("?", "Show this help", () => this.showSheet()),
    ];
    this.sheet = this.#makeSheet();
    document.body.append(this.sheet);
    window.addEventListener("keydown", (event) => this.#press(event));
    // A button clicked with the mouse does not keep the focus: Space should play, not click it again.
    window.addEventListener("click", (event) => {
      if (event.detail > 0) (event.target as HTMLElement).closest?.("button")?.blur();
    });
    // The same for a choice made with the mouse.
    let isPointer = false;
    for (const type of ["pointerdown", "keydown"])
      window.addEventListener(type, () => (isPointer = type === "pointerdown"), { capture: true });
    window.addEventListener("change", ({ target }) => {
      if (isPointer && target instanceof HTMLSelectElement) target.blur();
    });
  }

  showSheet(): void {
    this.sheet.showModal();
  }

  #press(event: KeyboardEvent): void {
    // AltGr is how many keyboards type a character; browsers report it as Ctrl and Alt.
    const isCommand = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
    if (isCommand || document.querySelector("dialog[open]")) return;
    const target = event.target as HTMLElement;
    // A menu opened with the mouse does not have the focus, but Escape means it.
    const menu = event.key === "Escape" && document.querySelector<HTMLElement>(".menu:popover-open");
    if (menu) {
      event.preventDefault();
      menu.hidePopover();
      return;
    }
    if (target.closest("input:not([type=range]):not([type=checkbox]), select, textarea, [popover]")) return;
    // The focused control handles Space and Home itself. Space means nothing to a slider: it plays.
    if (event.key === " " && target.closest("button, input:not([type=range]), summary")) return;
    if (event.key === "Home" && target.closest("button, input, [role=separator], [role=slider]")) return;
    const shortcut = this.#list.find(({ keys }) => keys.includes(event.key) || keys.includes(event.key.toLowerCase()));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.act();
  }

  #makeSheet(): HTMLDialogElement {
    const rows = this.#list.map(({ shown, what }) => h("div", {}, h("kbd", {}, shown), h("span", {}, what)));
    const pointer = [
      ["Drag", "Orbit"],
      ["Right drag", "Pan"],
      ["Wheel", "Zoom"],
      ["Arrows in the view", "Orbit; with Shift pan; Page up and down zoom"],
      ["Click", "Select a body"],
      ["Double click", "Focus on a body"],
      ["Alt or Ctrl drag", "Pull a body with a spring"],
      ["Click in a plot", "Go to that instant"],
      ["Drag in a plot", "Zoom all plots; double click to reset"],
    ].map(([how, what]) => h("div", {}, h("kbd", {}, how), h("span", {}, what)));
    const sheet: HTMLDialogElement = h(
      "dialog",
      { class: "help", "aria-label": "Keyboard and mouse" },
      h(
        "header",
        {},
        h("h2", {}, "Keyboard and mouse"),
        iconButton("close", "Close", () => sheet.close()),
      ),
      h("div", { class: "shortcuts" }, ...rows, ...pointer),
    );
    return sheet;
  }
}
