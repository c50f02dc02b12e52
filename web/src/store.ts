// The state of the page, in observable cells. The server is the source of truth; the store keeps the latest values it
// sent.

import type { ConnectionState } from "./connection.ts";
import type { StateMessage } from "./state_message.ts";
import type { Diagnostic, Push, Scene, Status } from "./protocol.ts";

/// An observable value.
export class Cell<T> {
  #value: T;
  #readers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const reader of [...this.#readers]) reader(value);
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  /// Calls `reader` now and at every change. Returns the function that unsubscribes.
  watch(reader: (value: T) => void): () => void {
    this.#readers.add(reader);
    reader(this.#value);
    return () => this.#readers.delete(reader);
  }
}

export type Selection =
  { kind: "body"; index: number } | { kind: "joint"; index: number } | { kind: "device"; index: number } | null;

export interface LogLine {
  kind: "event" | "warning";
  time: number;
  text: string;
}

/// Errors of the requested scenario, and the text that their lines refer to, if known.
export interface Problems {
  title: string;
  diagnostics: Diagnostic[];
  source: string | undefined;
}

/// Maps a selection from one scene to another, by name.
function findAgain(selection: Selection, last: Scene, scene: Scene): Selection {
  if (!selection) return null;
  const listOf = ({ bodies, joints, devices }: Scene): readonly { name: string }[] =>
    ({ body: bodies, joint: joints, device: devices })[selection.kind];
  const name = listOf(last)[selection.index]?.name;
  const index = listOf(scene).findIndex((each) => each.name === name);
  return index < 0 ? null : { kind: selection.kind, index };
}

/// Events of one control closer than this belong to one drag.
const DRAG_MS = 1000;
const MAX_LOG_LINES = 500;

export const emptyStatus: Status = {
  state: "empty",
  time: 0,
  step: 0,
  rtf: 0,
  speed: 1,
  overruns: 0,
  paced_steps: 0,
  viewers: 0,
  connections: [],
  snapshots: [],
};

export class Store {
  readonly connection = new Cell<{ state: ConnectionState; retryAt: number }>({ state: "connecting", retryAt: 0 });
  readonly version = new Cell("");
  readonly scene = new Cell<Scene | null>(null);
  readonly status = new Cell<Status>(emptyStatus);
  /// Whether a recording is shown, which is read-only.
  readonly isReplay = new Cell(false);
  readonly state = new Cell<StateMessage | null>(null);
  readonly selection = new Cell<Selection>(null);
  readonly hidden = new Cell<ReadonlySet<string>>(new Set());
  readonly traced = new Cell<ReadonlySet<string>>(new Set());
  readonly log = new Cell<readonly LogLine[]>([]);
  /// What another viewer has just done.
  readonly notice = new Cell("");
  readonly problems = new Cell<Problems | null>(null);

  /// Sets the server's current scene. Settings by name are kept if the scenario is the same file.
  setScene(scene: Scene | null): void {
    const last = this.scene.value;
    const isSameFile = scene !== null && scene.path === last?.path;
    const selected = isSameFile ? findAgain(this.selection.value, last, scene) : null;
    this.state.set(null);
    this.selection.set(null); // its index belongs to the last scene
    if (!isSameFile) {
      this.hidden.set(new Set());
      this.traced.set(new Set());
      this.log.set([]);
    }
    this.scene.set(scene);
    this.selection.set(selected);
  }

  setStatus(status: Status): void {
    this.isReplay.set(status.replay ?? false);
    this.status.set(status);
  }

  push(push: Push): void {
    switch (push.push) {
      case "scene":
        this.setScene(push.scene);
        break;
      case "status":
        this.setStatus(push.status);
        break;
      case "event":
        this.addLine({ kind: "event", time: push.time, text: push.text });
        break;
      case "notice":
        this.addLine({ kind: "event", time: this.status.value.time, text: push.text });
        this.notice.set(push.text);
        this.notice.set("");
        break;
      case "warning":
        this.addLine({ kind: "warning", time: this.status.value.time, text: push.text });
        break;
    }
  }

  /// The events from outside that the server knows of the run, also later ones of a recording.
  setEvents(events: readonly { time: number; text: string }[]): void {
    const lines = events.slice(-MAX_LOG_LINES).map(({ time, text }): LogLine => ({ kind: "event", time, text }));
    this.log.update((old) => [...lines, ...old.filter(({ kind }) => kind === "warning")]);
  }

  #lastSubject = "";
  #lastAdded = 0;

  /// A slider that is dragged is one event: its last value replaces the ones before.
  addLine(line: LogLine): void {
    // A recording that is played again repeats its events.
    if (this.isReplay.value && this.log.value.some(({ time, text }) => time === line.time && text === line.text))
      return;
    const subject = line.kind === "event" ? (/^(signal|joint) '.*?' (set|moved) to /.exec(line.text)?.[0] ?? "") : "";
    const now = performance.now();
    const goesOn = subject !== "" && subject === this.#lastSubject && now - this.#lastAdded < DRAG_MS;
    this.#lastSubject = subject;
    this.#lastAdded = now;
    if (goesOn) {
      this.log.update((lines) => [...lines.slice(0, -1), line]);
      return;
    }
    this.log.update((lines) => [...lines.slice(1 - MAX_LOG_LINES), line]);
  }

  /// Ignores a state of a scene that is no longer shown.
  takeState(state: StateMessage): boolean {
    if (state.scene !== this.scene.value?.id) return false;
    this.state.set(state);
    return true;
  }

  toggle(cell: Cell<ReadonlySet<string>>, names: readonly string[], isIn: boolean): void {
    cell.update((old) => {
      const next = new Set(old);
      for (const name of names) {
        if (isIn) next.add(name);
        else next.delete(name);
      }
      return next;
    });
  }
}
