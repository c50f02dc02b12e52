// One run of the mock server: the clock, the requests that change it, what it has recorded, and its viewers' frames.

import { encodeFrame } from "../src/frame.ts";
import type { Diagnostic, GalleryItem, Push, Scene, Snapshot, Status, Subscription, Vec3 } from "../src/protocol.ts";
import { makeCrowd } from "./crowd.ts";
import { makePendulum } from "./pendulum.ts";
import type { World } from "./world.ts";

const MAKERS: Record<string, () => World> = { pendulum: makePendulum, crowd: makeCrowd };

interface Kept {
  step: number;
  state: number[];
  values: number[];
}

export class Refusal extends Error {
  readonly diagnostics: Diagnostic[];
  readonly text: string | undefined;
  constructor(message: string, diagnostics: Diagnostic[] = [], text?: string) {
    super(message);
    this.diagnostics = diagnostics;
    this.text = text;
  }
}

export interface Viewer {
  subscription: Subscription;
  /// The last step whose row was sent.
  sentStep: number;
  isStale: boolean;
  push(push: Push): void;
}

type Fields = Record<string, unknown>;

export class Session {
  readonly viewers = new Set<Viewer>();
  #world: World | null = null;
  #sceneId = 0;
  #step = 0;
  #isRunning = false;
  #speed: number | null = 1;
  #stopAt = Number.POSITIVE_INFINITY;
  #owed = 0;
  #rtf = 0;
  #recorded: Kept[] = [];
  #snapshots = new Map<string, { step: number; state: number[] }>();
  #statusIsNew = true;

  open(name: string): void {
    const make = MAKERS[name];
    if (!make) throw new Refusal(`there is no scenario '${name}'`);
    this.#world = make();
    ++this.#sceneId;
    this.#snapshots.clear();
    this.#restart(0, this.#world.state);
    this.#recorded = [];
    this.#record();
    this.#broadcast({ push: "scene", scene: this.scene });
  }

  get scene(): Scene | null {
    return this.#world && { ...this.#world.scene, id: this.#sceneId };
  }

  get time(): number {
    return this.#step * (this.#world?.scene.step ?? 0);
  }

  get status(): Status {
    const step = this.#world?.scene.step ?? 0;
    const state = !this.#world ? "empty" : this.#isRunning ? "running" : "paused";
    const last = this.#recorded.at(-1);
    return {
      state,
      time: this.time,
      step: this.#step,
      rtf: this.#isRunning ? this.#rtf : 0,
      speed: this.#speed,
      overruns: 0,
      viewers: this.viewers.size,
      outcome: null,
      energy: this.#world ? 1.5 : null,
      links: [
        { name: "plc", address: "tcp://127.0.0.1:5020", connected: true, late: 2, lost: 0, duplicate: 0, bad: 0, reconnects: 1, round_trip: 4.2e-5 },
      ],
      recording: last && last.step > 0 ? { start: 0, end: last.step * step } : null,
      snapshots: this.snapshots,
    };
  }

  get snapshots(): Snapshot[] {
    const dt = this.#world?.scene.step ?? 0;
    return [...this.#snapshots].map(([name, { step }]) => ({ name, step, time: step * dt }));
  }

  get gallery(): GalleryItem[] {
    return Object.entries(MAKERS).map(([name, make]) => ({
      name,
      title: name[0]!.toUpperCase() + name.slice(1),
      description: make().scene.description,
      thumbnail: `/thumbnails/${name}.svg`,
    }));
  }

  /// Lets `seconds` of real time pass.
  tick(seconds: number): void {
    if (!this.#world || !this.#isRunning) return;
    const dt = this.#world.scene.step;
    this.#owed += this.#speed === null ? 50 : (seconds * this.#speed) / dt;
    const before = this.#step;
    for (; this.#owed >= 1 && this.#isRunning; --this.#owed) this.#advance();
    this.#rtf = ((this.#step - before) * dt) / seconds;
    this.#statusIsNew = true;
  }

  #advance(): void {
    this.#world!.advance(this.#world!.scene.step);
    ++this.#step;
    this.#record();
    if (this.#step >= this.#stopAt) this.#isRunning = false;
  }

  #record(): void {
    const world = this.#world!;
    this.#recorded.length = this.#step;
    this.#recorded.push({ step: this.#step, state: [...world.state], values: world.values(this.time) });
  }

  #restart(step: number, state: number[]): void {
    this.#step = step;
    this.#world!.state = state;
    this.#world!.pulls.clear();
    this.#isRunning = false;
    this.#statusIsNew = true;
    for (const viewer of this.viewers) {
      viewer.isStale = true;
      viewer.sentStep = step - 1;
    }
  }

  pushStatus(): void {
    if (!this.#statusIsNew) return;
    this.#statusIsNew = false;
    this.#broadcast({ push: "status", status: this.status });
  }

  #broadcast(push: Push): void {
    for (const viewer of this.viewers) viewer.push(push);
  }

  #event(text: string): void {
    for (const viewer of this.viewers) viewer.isStale = true;
    this.#broadcast({ push: "event", step: this.#step, time: this.time, text });
  }

  frame(viewer: Viewer): ArrayBuffer | null {
    const world = this.#world;
    if (!world || (!viewer.isStale && viewer.sentStep === this.#step)) return null;
    const { signals, poses, contacts, rays } = viewer.subscription;
    const slots = signals.map((name) => world.scene.signals.findIndex((signal) => signal.name === name));
    const rows: number[] = [];
    const first = Math.max(0, viewer.sentStep + 1, this.#step - 200);
    for (const kept of this.#recorded.slice(first, this.#step + 1)) {
      rows.push(kept.step * world.scene.step, ...slots.map((slot) => kept.values[slot] ?? Number.NaN));
    }
    const hasGap = first > viewer.sentStep + 1;
    viewer.sentStep = this.#step;
    viewer.isStale = false;
    return encodeFrame({
      scene: this.#sceneId,
      step: this.#step,
      time: this.time,
      hasGap,
      signalCount: signals.length,
      poses: poses ? world.poses(this.time) : undefined,
      contacts: contacts ? world.contacts(this.time) : undefined,
      rays: rays ? world.rays(this.time) : undefined,
      rows,
    });
  }

  /// Does what a request asks. The answer holds what stands beside `ok`.
  handle(viewer: Viewer, what: string, fields: Fields): Fields {
    this.#statusIsNew = true;
    switch (what) {
      case "hello":
        return { version: "mock", scene: this.scene, status: this.status };
      case "files":
        return {
          files: this.gallery.map(({ name, description }) => ({ path: `${name}.xml`, name, description })).concat([
            { path: "broken/arm.xml", name: "broken arm", description: "A scenario with mistakes" },
          ]),
          gallery: this.gallery,
        };
      case "open":
        this.#openAsked(fields);
        return {};
      case "subscribe":
        viewer.subscription = fields as unknown as Subscription;
        viewer.isStale = true;
        viewer.sentStep = this.#step - 1; // the row of this instant comes with the new signals
        return {};
    }
    if (!this.#world) throw new Refusal("no scenario is open");
    return this.#handleRun(this.#world, what, fields);
  }

  #openAsked(fields: Fields): void {
    if (typeof fields.text === "string") this.#openText(fields.text, String(fields.name));
    else if (fields.path === "broken/arm.xml") this.#openText(BROKEN, "broken/arm.xml");
    else this.open(String(fields.gallery ?? fields.path).replace(/\.xml$/, ""));
  }

  #openText(text: string, file: string): void {
    const diagnostics = text.split("\n").flatMap((line, i): Diagnostic[] => {
      const column = line.indexOf("nosie");
      if (column < 0) return [];
      const message = "<accelerometer> has no attribute 'nosie'; did you mean 'noise'?";
      return [{ file, line: i + 1, column: column + 1, severity: "error", text: message }];
    });
    if (diagnostics.length > 0) throw new Refusal(`${file} has ${diagnostics.length} error`, diagnostics, text);
    this.open("pendulum");
  }

  #handleRun(world: World, what: string, fields: Fields): Fields {
    const number = (name: string): number => {
      const value = fields[name];
      if (typeof value !== "number") throw new Refusal(`'${name}' must be a number`);
      return value;
    };
    switch (what) {
      case "reload":
        this.open(world.scene.name);
        return {};
      case "source":
        return { text: `<scenario name="${world.scene.name}"/>\n`, path: world.scene.path };
      case "play":
        this.#stopAt = fields.for === undefined ? Infinity : this.#step + Math.round(number("for") / world.scene.step);
        this.#isRunning = true;
        return {};
      case "pause":
        this.#isRunning = false;
        return {};
      case "step":
        if (this.#isRunning) throw new Refusal("step: the run must be paused first");
        for (let i = 0; i < number("count"); ++i) this.#advance();
        return {};
      case "speed":
        this.#speed = fields.factor === null ? null : number("factor");
        return {};
      case "reset":
        this.#restart(0, this.#recorded[0]!.state);
        return {};
      case "seek": {
        const step = Math.round(number("time") / world.scene.step);
        const kept = this.#recorded[step];
        if (!kept) throw new Refusal(`seek: ${number("time")} s is outside the recording`);
        this.#restart(step, kept.state);
        return {};
      }
      case "save":
        this.#snapshots.set(String(fields.name), { step: this.#step, state: [...world.state] });
        return { snapshots: this.snapshots };
      case "load": {
        const kept = this.#snapshots.get(String(fields.name));
        if (!kept) throw new Refusal(`load: there is no snapshot '${fields.name}'`);
        this.#restart(kept.step, kept.state);
        return {};
      }
      case "download":
        return { url: `/downloads/${fields.what}` };
      case "plan":
        return { paths: world.paths };
      case "attributes":
        return { attributes: world.attributes(String(fields.path)) };
      case "edit":
        if (!world.edit(String(fields.xpath), Number.parseFloat(String(fields.value)))) {
          throw new Refusal(`edit: nothing is at ${fields.xpath}`);
        }
        this.#event(`edit ${fields.xpath} = ${fields.value}`);
        return { restarted: false };
      case "set":
        if (!world.commands.has(String(fields.signal))) throw new Refusal(`set: '${fields.signal}' is not a command`);
        world.commands.set(String(fields.signal), number("value"));
        this.#event(`set ${fields.signal} = ${fields.value}`);
        return {};
      case "joint":
        world.setJoint(String(fields.joint), number("position"));
        this.#record();
        for (const viewer of this.viewers) viewer.sentStep = Math.min(viewer.sentStep, this.#step - 1);
        this.#event(`joint ${fields.joint} to ${fields.position}`);
        return {};
      case "pull":
        if (fields.target === null) world.pulls.delete(String(fields.body));
        else {
          const stiffness = typeof fields.stiffness === "number" ? fields.stiffness : 200;
          world.pulls.set(String(fields.body), { point: fields.point as Vec3, target: fields.target as Vec3, stiffness });
        }
        this.#event(fields.target === null ? `let go of ${fields.body}` : `pull ${fields.body}`);
        return {};
    }
    throw new Refusal(`unknown request '${what}'`);
  }
}

const BROKEN = `<scenario name="arm">
  <robot name="arm">
    <accelerometer name="imu" site="tip" nosie="0.1"/>
  </robot>
</scenario>
`;
