// The status bar: state and speed of the run, and state of its connections.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatFactor, formatNumber, formatTime, formatValue } from "../format.ts";
import type { Connection, Status } from "../protocol.ts";
import { menu } from "../widgets.ts";

/// Overruns are shown as a problem from this share of the steps on.
const BAD_SHARE = 0.01;

const STATES: Record<Status["state"], string> = {
  empty: "No scenario",
  paused: "Paused",
  running: "Running",
  ended: "Ended",
  failed: "Failed",
};

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/// Late answers are not errors of the connection: the machine is busy, or the controller is slow.
function errorsOf({ lost, duplicate, bad }: Connection): number {
  return lost + duplicate + bad;
}

export function makeStatusBar(app: App, showEvents: () => void): HTMLElement {
  const { store } = app;
  const field = (label: string, title: string): [HTMLElement, HTMLElement] => {
    const value = h("output", { "aria-label": label });
    return [h("span", { class: "field", title }, h("span", { class: "muted" }, label), value), value];
  };
  const state = h("output", { class: "state", "aria-label": "State" });
  const [timeField, time] = field("Time", "Simulated time");
  const [stepField, stepValue] = field("Step", "Step number");
  const [rtfField, rtf] = field(
    "RTF",
    "Real-time factor: simulated seconds per second of real time, measured and requested",
  );
  const [overrunField, overruns] = field("Overruns", "Steps that took longer than their real-time budget");
  const [energyField, energy] = field("Energy", "Total energy");
  const [viewerField, viewers] = field("Viewers", "Browsers connected to this run");
  const connections = h("button", { type: "button", class: "text-button" });
  const rows = h("tbody", {});
  const table = connectionTable(rows);
  menu(connections, "Connections", () => [table], true);
  const events = h("button", { type: "button", class: "text-button", onclick: showEvents });
  const version = h("span", { class: "muted" });

  store.status.watch((status) => {
    setText(
      state,
      (status.replay ? "Recording: " : "") + STATES[status.state] + (status.outcome ? `: ${status.outcome}` : ""),
    );
    state.dataset.state = status.state;
    state.title = state.textContent ?? "";
    setText(time, formatTime(status.time));
    setText(stepValue, String(status.step));
    setText(rtf, `${formatNumber(status.rtf, 3)} of ${formatFactor(status.speed)}`);
    const share = status.overruns / Math.max(1, status.paced_steps);
    setText(overruns, `${(100 * share).toFixed(1)} %`);
    overrunField.title = `${status.overruns} of ${status.paced_steps} steps took longer than their real-time budget`;
    overruns.classList.toggle("bad", share >= BAD_SHARE);
    const hasEnergy = typeof status.energy === "number";
    energyField.hidden = !hasEnergy;
    if (hasEnergy) setText(energy, formatValue(status.energy!, "J"));
    setText(viewers, String(status.viewers));
    connections.hidden = status.connections.length === 0;
    showConnections(rows, status);
    const connected = status.connections.filter((connection) => connection.connected).length;
    const errors = status.connections.reduce((sum, connection) => sum + errorsOf(connection), 0);
    setText(
      connections,
      `Connections ${connected}/${status.connections.length}${errors > 0 ? `, ${countOf(errors, "error")}` : ""}`,
    );
    connections.classList.toggle("bad", connected < status.connections.length);
  });
  store.log.watch((lines) => {
    const warnings = lines.filter((line) => line.kind === "warning").length;
    setText(
      events,
      countOf(lines.length - warnings, "event") + (warnings > 0 ? `, ${countOf(warnings, "warning")}` : ""),
    );
    events.classList.toggle("bad", warnings > 0);
  });
  store.version.watch((text) => setText(version, text && `Lockstep ${text}`));
  return h(
    "footer",
    { class: "statusbar", "aria-label": "Status" },
    state,
    timeField,
    stepField,
    rtfField,
    overrunField,
    energyField,
    h("span", { class: "spacer" }),
    connections,
    events,
    viewerField,
    version,
  );
}

function connectionTable(rows: HTMLElement): HTMLElement {
  const heads = ["Connection", "Address", "State", "Late", "Lost", "Duplicate", "Bad", "Reconnects", "Round trip"];
  const head = h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)));
  return h("table", {}, h("thead", {}, head), rows);
}

/// Keeps the cells, so that an open table shows the present numbers and a selected text stays selected.
function showConnections(rows: HTMLElement, { connections, waiting = [] }: Status): void {
  while (rows.children.length > connections.length) rows.lastElementChild!.remove();
  connections.forEach((connection, i) => {
    const { name, address, connected, late, lost, duplicate, bad, reconnects, round_trip } = connection;
    const state = waiting.includes(name) ? "waiting" : connected ? "connected" : "not connected";
    const counts = [late, lost, duplicate, bad, reconnects].map(String);
    const texts = [name, address, state, ...counts, formatValue(round_trip, "s", 3)];
    if (!rows.children[i]) rows.append(h("tr", {}, ...texts.map((_, k) => h("td", { class: k > 2 ? "number" : "" }))));
    texts.forEach((text, k) => setText(rows.children[i]!.children[k]!, text));
  });
}
