// Transport controls: play, pause, step, speed, run for a duration, reset, snapshots.

import type { App } from "../app.ts";
import { followLink, h } from "../dom.ts";
import { formatFactor, formatTime } from "../format.ts";
import type { Snapshot } from "../protocol.ts";
import { iconButton, menu, setIcon } from "../widgets.ts";

export const SPEEDS: (number | null)[] = [0.1, 0.2, 0.5, 1, 2, 5, 10, null];

export function isRunning(app: App): boolean {
  return app.store.status.value.state === "running";
}

export function togglePlay(app: App): void {
  void app.run(isRunning(app) ? app.request("pause") : app.request("play"));
}

/// Advances by steps; pauses a running simulation first.
export async function step(app: App, count: number): Promise<void> {
  if (isRunning(app) && !(await app.run(app.request("pause")))) return;
  await app.run(app.request("step", { count }));
}

export function changeSpeed(app: App, way: 1 | -1): void {
  const now = SPEEDS.indexOf(app.store.status.value.speed);
  const next = SPEEDS[now < 0 ? SPEEDS.indexOf(1) : Math.max(0, Math.min(SPEEDS.length - 1, now + way))]!;
  void app.run(app.request("speed", { factor: next ?? null }));
}

export async function saveSnapshot(app: App, name?: string): Promise<boolean> {
  const given = name || `at ${formatTime(app.store.status.value.time)}`;
  const isSaved = await app.run(app.request("save", { name: given }));
  if (isSaved) app.tell(`Snapshot “${given}” saved`);
  return isSaved;
}

export function makeTransport(app: App): HTMLElement {
  const play = iconButton("play", "Play (Space)", () => togglePlay(app));
  play.classList.add("primary");
  const stepOne = iconButton("step", "One step (.)", () => void step(app, 1));
  const reset = iconButton("reset", "Reset to time 0 (Home)", () => void app.run(app.request("reset")));
  const more = h(
    "button",
    { type: "button", class: "text-button", title: "Run for a duration or a number of steps" },
    "Run…",
  );
  menu(more, "Run for a duration or a number of steps", (close) => runMenu(app, close));
  const speed = h("select", { class: "speed", "aria-label": "Simulation speed", title: "Speed (− and +)" });
  speed.addEventListener("change", () => {
    void app.run(app.request("speed", { factor: speed.value === "" ? null : Number(speed.value) }));
  });
  const snapshots = h("button", { type: "button", class: "text-button", title: "Save, load and branch" }, "Snapshots");
  // Another viewer may save and delete, too; what is typed and focused stays.
  const saved = h("div", {});
  const closeSnapshots = menu(snapshots, "Snapshots", (close) => snapshotMenu(app, saved, close));
  let listed: readonly Snapshot[] | undefined;
  app.store.scene.watch(closeSnapshots);

  app.store.status.watch((status) => {
    const isOpen = status.state !== "empty";
    setIcon(
      play,
      status.state === "running" ? "pause" : "play",
      status.state === "running" ? "Pause (Space)" : "Play (Space)",
    );
    for (const control of [play, stepOne, reset, more, speed, snapshots]) control.disabled = !isOpen;
    showSpeed(speed, status.speed);
    if (JSON.stringify(listed) === JSON.stringify(status.snapshots)) return;
    listed = status.snapshots;
    saved.replaceChildren(snapshotList(app, listed, closeSnapshots));
  });
  const attributes = { class: "transport", role: "toolbar", "aria-label": "Simulation" };
  return h("div", attributes, reset, play, stepOne, speed, more, snapshots);
}

function showSpeed(select: HTMLSelectElement, factor: number | null): void {
  const shown = SPEEDS.includes(factor)
    ? SPEEDS
    : [...SPEEDS, factor].sort((a, b) => (a ?? Infinity) - (b ?? Infinity));
  const values = shown.map((each) => String(each ?? ""));
  if ([...select.options].map((option) => option.value).join() !== values.join()) {
    select.replaceChildren(...shown.map((each) => h("option", { value: each ?? "" }, formatFactor(each))));
  }
  const value = String(factor ?? "");
  if (select.value !== value) select.value = value;
}

function runMenu(app: App, close: () => void): Node[] {
  const length = h("input", { type: "number", min: 0, step: "any", value: 1, id: "run-for" });
  const count = h("input", { type: "number", min: 1, step: 1, value: 10, id: "step-count" });
  const runFor = (event: Event): void => {
    event.preventDefault();
    if (!(length.valueAsNumber > 0)) return;
    close();
    void app.run(app.request("play", { for: length.valueAsNumber }));
  };
  const stepMany = (event: Event): void => {
    event.preventDefault();
    if (!(count.valueAsNumber >= 1)) return;
    void step(app, Math.floor(count.valueAsNumber));
  };
  return [
    h(
      "form",
      { class: "row", onsubmit: runFor },
      h("label", { for: "run-for" }, "Run for"),
      length,
      "s",
      h("button", {}, "Run"),
    ),
    h(
      "form",
      { class: "row", onsubmit: stepMany },
      h("label", { for: "step-count" }, "Advance"),
      count,
      "steps",
      h("button", {}, "Step"),
    ),
  ];
}

function snapshotList(app: App, snapshots: readonly Snapshot[], close: () => void): HTMLElement {
  return snapshots.length > 0
    ? h("ul", { class: "snapshots" }, ...snapshots.map((each) => snapshotRow(app, each, close)))
    : h("p", { class: "hint" }, "A snapshot stores the complete state. Load it to return to it, or branch from it.");
}

function snapshotMenu(app: App, saved: HTMLElement, close: () => void): Node[] {
  const name = h("input", {
    type: "text",
    placeholder: `at ${formatTime(app.store.status.value.time)}`,
    "aria-label": "Snapshot name",
  });
  const save = (event: Event): void => {
    event.preventDefault();
    void saveSnapshot(app, name.value.trim()).then((isSaved) => isSaved && close());
  };
  const download = (what: "recording" | "scenario" | "html", title: string = what) =>
    h("button", { type: "button", onclick: () => void fetchFile(app, what) }, `Download ${title}`);
  return [
    h("form", { class: "row", onsubmit: save }, name, h("button", {}, "Save")),
    saved,
    h("div", { class: "row" }, download("recording"), download("scenario"), download("html", "as one page")),
  ];
}

function snapshotRow(app: App, { name, time }: Snapshot, close: () => void): HTMLElement {
  const load = async (continues: boolean): Promise<void> => {
    close();
    if ((await app.run(app.request("load", { name }))) && continues) await app.run(app.request("play"));
  };
  return h(
    "li",
    {},
    h("span", { class: "name", title: name }, name),
    h("span", { class: "muted" }, formatTime(time)),
    iconButton("reset", `Load ${name}`, () => void load(false)),
    iconButton("branch", `Branch from ${name}: load and continue`, () => void load(true)),
    iconButton("close", `Delete ${name}`, () => void app.run(app.request("delete", { name }))),
    iconButton("download", `Download ${name}`, () => void fetchFile(app, "snapshot", name)),
  );
}

async function fetchFile(app: App, what: "snapshot" | "recording" | "scenario" | "html", name?: string): Promise<void> {
  await app.run(app.request("download", { what, name }).then(({ url }) => followLink(url, name ?? "")));
}
