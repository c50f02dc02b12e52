// A run inside the page: what `lockstep export RECORDING -o FILE.html` makes. It answers the requests of the page as
// `lockstep serve --replay` would, without a server. The format is described in src/serve/html_export.h.

import type { ConnectionHandlers, Request } from "./connection.ts";
import { RequestError, type Requests, type Scene, type Status } from "./protocol.ts";
import { POSE_FLOATS, type StateMessage } from "./state_message.ts";
import { emptyStatus } from "./store.ts";

const MS_PER_STATE = 33;

export interface RunData {
  version: string;
  scene: Scene;
  events: { time: number; text: string }[];
  /// Meshes and heightmaps by URL: gzip in base64.
  assets: Record<string, string>;
  end: number;
  times: Float64Array;
  steps: Float64Array;
  /// Time, then all signals of the scene, per row.
  rows: Float64Array;
  rowTimes: Float64Array;
  poses: Float32Array;
  joints: Float32Array;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.replace(/\s/g, ""));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/// Decodes the run; the counts are checked against the bytes.
export function decodeRun(buffer: ArrayBuffer): RunData {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const { frames, rows, row_period, ...head } = JSON.parse(text) as RunData & {
    frames: number;
    rows: number;
    row_period: number;
  };
  let at = 8 + length;
  const take = <T>(make: new (buffer: ArrayBuffer, at: number, count: number) => T, bytes: number, n: number): T => {
    if (at + n * bytes > buffer.byteLength) throw new Error("the recording in this file is truncated");
    const array = new make(buffer, at, n);
    at += n * bytes;
    return array;
  };
  const { bodies, joints, signals } = head.scene;
  const width = 1 + signals.length;
  const [times, steps] = [take(Float64Array, 8, frames), take(Float64Array, 8, frames)];
  const values = take(Float64Array, 8, rows * width);
  return {
    ...head,
    scene: { ...head.scene, row_period },
    times,
    steps,
    rows: values,
    rowTimes: Float64Array.from({ length: rows }, (_, row) => values[row * width]!),
    poses: take(Float32Array, 4, frames * POSE_FLOATS * bodies.length),
    joints: take(Float32Array, 4, frames * joints.length),
  };
}

/// The last index whose time is not after `time`; 0 if there is none.
export function indexAt(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

export class RecordedRun {
  readonly #element: HTMLElement;
  readonly #handlers: ConnectionHandlers;
  #data!: RunData;
  #columns: number[] = [];
  #signals: string[] = [];
  #time = 0;
  #until = 0;
  #speed: number | null = 1;
  #state: Status["state"] = "paused";
  #lastTick = 0;

  /// The element that holds the run, if this page has one.
  static find(): HTMLElement | null {
    return document.querySelector<HTMLElement>("script#recording");
  }

  constructor(element: HTMLElement, handlers: ConnectionHandlers) {
    this.#element = element;
    this.#handlers = handlers;
  }

  connect(): void {
    unzip(bytesOf(this.#element.textContent)).then(
      (buffer) => {
        this.#data = decodeRun(buffer);
        this.#time = this.#start;
        this.#handlers.changed("open", 0);
        this.#handlers.opened();
        setInterval(() => this.#tick(), MS_PER_STATE);
      },
      (error: Error) => this.#handlers.damaged(error),
    );
  }

  /// The bytes at a URL of the scene.
  async asset(url: string): Promise<ArrayBuffer> {
    const asset = this.#data.assets[url];
    if (asset === undefined) throw new Error(`${url}: is not in this file`);
    return unzip(bytesOf(asset));
  }

  readonly request: Request = (what, ...fields) => {
    const answer = this.#answers[what];
    if (!answer) return Promise.reject(new RequestError("This file shows a recording; it cannot be changed."));
    return new Promise((resolve) => {
      const given = answer(fields[0] ?? {}) as never;
      resolve(given);
      this.#handlers.pushed({ push: "status", status: this.#status });
    });
  };

  get #start(): number {
    return this.#data.times[0] ?? 0;
  }

  get #status(): Status {
    const { end, times, steps } = this.#data;
    return {
      ...emptyStatus,
      state: this.#state,
      time: this.#time,
      step: steps[indexAt(times, this.#time)] ?? 0,
      rtf: this.#state === "running" ? (this.#speed ?? 1) : 0,
      speed: this.#speed,
      viewers: 1,
      outcome: this.#state === "ended" ? "end of the recording" : null,
      recording: { start: this.#start, end },
      replay: true,
    };
  }

  readonly #answers: { [K in keyof Requests]?: (fields: Requests[K]["fields"]) => Requests[K]["answer"] } = {
    hello: () => ({ version: this.#data.version, scene: this.#data.scene, status: this.#status }),
    play: ({ for: length }) => {
      if (this.#time >= this.#data.end) this.#time = this.#start;
      this.#until = length === undefined ? this.#data.end : this.#time + length;
      this.#lastTick = performance.now();
      this.#state = "running";
      return {};
    },
    pause: () => this.#stop(this.#time),
    reset: () => this.#stop(this.#start),
    seek: ({ time }) => this.#stop(time),
    step: ({ count }) => this.#stop(this.#time + count * this.#data.scene.step),
    speed: ({ factor }) => {
      this.#speed = factor;
      return {};
    },
    subscribe: ({ signals }) => {
      this.#signals = signals;
      this.#columns = signals.map((name) => 1 + this.#data.scene.signals.findIndex((each) => each.name === name));
      if (this.#columns.includes(0)) throw new RequestError("Formulas need a server; this file has only signals.");
      // After the answer, so that the page expects these columns. The whole run is known: show all of it.
      setTimeout(() => {
        this.#send(this.#rowsBetween(-Infinity, Infinity));
        this.#send(this.#rowNow());
      });
      return {};
    },
    plan: () => ({ paths: [] }),
    events: () => ({ events: this.#data.events }),
    rows: ({ signals, from, to }) => {
      const columns = signals.map((name) => 1 + this.#data.scene.signals.findIndex((each) => each.name === name));
      return { rows: this.#rowsBetween(from, to, columns), complete: true };
    },
  };

  #stop(time: number): Record<never, never> {
    this.#state = "paused";
    this.#time = Math.min(this.#data.end, Math.max(this.#start, time));
    this.#send(this.#rowNow());
    return {};
  }

  #tick(): void {
    if (this.#state !== "running") return;
    const now = performance.now();
    this.#time += ((now - this.#lastTick) / 1000) * (this.#speed ?? 100);
    this.#lastTick = now;
    if (this.#time >= this.#until) {
      this.#time = Math.min(this.#until, this.#data.end);
      this.#state = this.#time >= this.#data.end ? "ended" : "paused";
    }
    this.#send(this.#rowNow());
    this.#handlers.pushed({ push: "status", status: this.#status });
  }

  get #width(): number {
    return 1 + this.#data.scene.signals.length;
  }

  #rowsBetween(from: number, to: number, columns = this.#columns): number[][] {
    const { rows, rowTimes } = this.#data;
    const found: number[][] = [];
    rowTimes.forEach((time, row) => {
      if (time < from || time > to) return;
      found.push([time, ...columns.map((column) => rows[row * this.#width + column]!)]);
    });
    return found;
  }

  #rowNow(): number[][] {
    const time = this.#data.rowTimes[indexAt(this.#data.rowTimes, this.#time)];
    return time === undefined ? [] : this.#rowsBetween(time, time);
  }

  #send(rows: readonly number[][]): void {
    const { scene, times, steps, poses, joints } = this.#data;
    const frame = indexAt(times, this.#time);
    const [poseCount, jointCount] = [POSE_FLOATS * scene.bodies.length, scene.joints.length];
    const message: StateMessage = {
      scene: scene.id,
      step: steps[frame] ?? 0,
      time: this.#time,
      hasPoses: true,
      hasContacts: false,
      hasRays: false,
      hasGap: false,
      isPast: true,
      poses: poses.subarray(frame * poseCount, (frame + 1) * poseCount),
      joints: joints.subarray(frame * jointCount, (frame + 1) * jointCount),
      contacts: new Float32Array(),
      rays: new Float32Array(),
      rowCount: this.#signals.length > 0 ? rows.length : 0,
      signalCount: this.#signals.length,
      rows: Float64Array.from(rows.flat()),
    };
    this.#handlers.stateCame(message);
  }
}
