// The inspector: pose and velocity of the selected object, and sliders for joints, commands and attributes.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { POSE_FLOATS, type StateMessage } from "../state_message.ts";
import { formatFixed, formatReading, formatUnit, formatValue } from "../format.ts";
import { icon } from "../icons.ts";
import { Latest } from "../latest.ts";
import type { Attribute, Joint, Scene, Signal, Vec3 } from "../protocol.ts";
import { calcVelocity, writePoint, writePose } from "../scene/transforms.ts";
import { iconButton, setPressed, slider } from "../widgets.ts";
import { shortName } from "./tree.ts";

const MS_PER_UPDATE = 100;
/// Maximum number of sliders shown for the whole scene; the others are shown when their joint or device is selected.
const MAX_SLIDERS = 24;

function movesByOneNumber(joint: Joint): boolean {
  return joint.type === "hinge" || joint.type === "slide";
}

export class Inspector {
  readonly element = h("div", { class: "panel-content inspector" });
  readonly #app: App;
  /// Updates for the latest signal values, joint positions and the body pose.
  #live: [string, (value: number) => void][] = [];
  #joints: [number, (value: number) => void][] = [];
  #body: { index: number; show(state: StateMessage, before: StateMessage | null): void } | null = null;
  #before: StateMessage | null = null;
  #lastUpdate = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.#app = app;
    for (const type of ["pointerdown", "keydown", "wheel"]) {
      window.addEventListener(type, () => (this.#place = null), { capture: true, passive: true });
    }
    app.store.scene.watch(() => this.#draw());
    app.store.isReplay.watch(() => this.#draw());
    app.store.selection.watch(() => this.#draw());
    for (const cell of [app.store.hidden, app.store.traced]) cell.watch(() => this.#drawBodyTools());
    app.cameraMode.watch(() => this.#drawBodyTools());
    app.store.state.watch((state) => state && this.#update(state));
  }

  #update(state: StateMessage): void {
    const before = this.#before;
    this.#before = state;
    const wait = this.#lastUpdate + MS_PER_UPDATE - performance.now();
    clearTimeout(this.#timer);
    if (wait > 0) {
      // The last state before a pause must be shown too, even if it comes too soon after the previous update.
      this.#timer = setTimeout(() => this.#show(state, before), wait);
    } else this.#show(state, before);
  }

  #show(state: StateMessage, before: StateMessage | null): void {
    this.#lastUpdate = performance.now();
    for (const [signal, show] of this.#live) show(this.#app.history.lastValue(signal));
    for (const [joint, show] of this.#joints) show(state.joints[joint] ?? Number.NaN);
    this.#body?.show(state, before);
  }

  /// Where the user was before an edit replaced the content: focused control, scroll position, title.
  #place: { label: string | null; top: number; title: string } | null = null;

  #title(): string {
    return this.element.querySelector("h2")?.textContent ?? "";
  }

  #keepPlace(): void {
    const focused = document.activeElement;
    const label = focused && this.element.contains(focused) ? focused.getAttribute("aria-label") : null;
    this.#place ??= { label, top: this.element.scrollTop, title: this.#title() };
  }

  #returnToPlace(): void {
    if (!this.#place || this.#place.title !== this.#title()) return;
    const { label, top } = this.#place;
    this.element.scrollTop = top;
    if (label === null || document.activeElement !== document.body) return;
    const controls = [...this.element.querySelectorAll<HTMLElement>("[aria-label]")];
    controls.find((control) => control.getAttribute("aria-label") === label)?.focus({ preventScroll: true });
  }

  #draw(): void {
    const { scene, selection } = this.#app.store;
    this.#keepPlace();
    this.#live = [];
    this.#joints = [];
    this.#body = null;
    this.#before = null;
    this.#lastUpdate = 0;
    clearTimeout(this.#timer);
    const parts = scene.value
      ? this.#content(scene.value, selection.value)
      : [h("p", { class: "hint" }, "No scenario is open.")];
    this.element.replaceChildren(...parts);
    this.#returnToPlace();
    this.#app.subscriptions.setSignals(
      "inspector",
      this.#live.map(([signal]) => signal),
    );
    if (this.#app.store.state.value) this.#update(this.#app.store.state.value);
  }

  #content(scene: Scene, selection: App["store"]["selection"]["value"]): HTMLElement[] {
    switch (selection?.kind) {
      case "body":
        return this.#bodyContent(scene, selection.index);
      case "joint":
        return this.#jointContent(scene, scene.joints[selection.index]!);
      case "device":
        return this.#deviceContent(scene, selection.index);
      default:
        return this.#sceneContent(scene);
    }
  }

  #header(kind: Parameters<typeof icon>[0], name: string, note: string): HTMLElement {
    const back = iconButton("close", "Deselect (Escape)", () => this.#app.store.selection.set(null));
    const text = h("div", { class: "grow" }, h("h2", { title: name }, name), h("p", { class: "muted" }, note));
    return h("div", { class: "title" }, icon(kind), text, back);
  }

  #section(title: string, ...children: (HTMLElement | null)[]): HTMLElement {
    return h("section", {}, h("h3", {}, title), ...children);
  }

  #sceneContent(scene: Scene): HTMLElement[] {
    const commands = scene.signals.filter((signal) => signal.role === "command");
    const joints = scene.joints.filter(movesByOneNumber);
    const facts: [string, string][] = [
      ["File", scene.path || "–"],
      ["Step", formatValue(scene.step, "s")],
      ["Bodies", String(Math.max(0, scene.bodies.length - 1))],
      ["Joints", String(scene.joints.length)],
      ["Signals", String(scene.signals.length)],
    ];
    return [
      h(
        "div",
        { class: "title" },
        icon("globe"),
        h("div", { class: "grow" }, h("h2", {}, scene.name), h("p", { class: "muted" }, scene.description)),
      ),
      this.#facts(facts.map(([name, value]) => [name, h("span", {}, value)])),
      ...this.#sliders("Commands", commands, (signal) => this.#commandSlider(scene, signal)),
      ...this.#sliders("Joints", joints, (joint) => this.#jointSlider(scene, joint)),
      ...this.#attributes(""),
    ];
  }

  /// Empty for a recording, which cannot be changed.
  #sliders<T>(title: string, items: readonly T[], make: (item: T) => HTMLElement): HTMLElement[] {
    if (items.length === 0 || this.#app.store.isReplay.value) return [];
    const left = items.length - MAX_SLIDERS;
    const note = left > 0 ? h("p", { class: "hint" }, `${left} more. Select them in the tree.`) : null;
    return [this.#section(title, ...items.slice(0, MAX_SLIDERS).map(make), note)];
  }

  #facts(rows: [string, HTMLElement][]): HTMLElement {
    return h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  #bodyTools: (() => void) | null = null;

  #drawBodyTools(): void {
    if (this.#body) this.#bodyTools?.();
  }

  #bodyContent(scene: Scene, index: number): HTMLElement[] {
    const { store, view, cameraMode } = this.#app;
    const body = scene.bodies[index]!;
    const toggle = (cell: typeof store.hidden) => store.toggle(cell, [body.name], !cell.value.has(body.name));
    const eye = iconButton("eye", "Visible", () => toggle(store.hidden));
    const trace = iconButton("trace", "Trace path", () => toggle(store.traced));
    const follow = iconButton("video", "Follow with camera", () =>
      cameraMode.update((mode) => (mode === "follow" ? "free" : "follow")),
    );
    const focus = iconButton("focus", "Focus (F)", () => view.focusBody(index));
    this.#bodyTools = () => {
      setPressed(eye, !store.hidden.value.has(body.name));
      setPressed(trace, store.traced.value.has(body.name));
      setPressed(follow, cameraMode.value === "follow");
    };
    const [position, turn, velocity, spin] = [0, 1, 2, 3].map(() => h("output", { class: "vector" }));
    velocity!.title = "Velocity of the centre of mass, in the world frame";
    this.#body = {
      index,
      show: (state, before) => showMotion(state, before, index, body.center, position!, turn!, velocity!, spin!),
    };
    this.#bodyTools();
    const joints = scene.joints.filter((joint) => joint.body === index && movesByOneNumber(joint));
    return [
      this.#header(
        "cube",
        body.name,
        [body.robot ? `link of ${body.robot}` : "", body.movable ? "" : "fixed"].filter(Boolean).join(", ") || "object",
      ),
      h("div", { class: "row tools" }, eye, trace, follow, focus),
      this.#facts([
        ["Mass", h("span", {}, formatValue(body.mass, "kg"))],
        ["Position (m)", position!],
        ["Roll, pitch, yaw (°)", turn!],
        ["Velocity (m/s)", velocity!],
        ["Angular velocity (rad/s)", spin!],
      ]),
      ...this.#sliders("Joint", joints, (joint) => this.#jointSlider(scene, joint)),
      ...(index > 0 ? this.#attributes(body.name) : []),
    ];
  }

  #jointContent(scene: Scene, joint: Joint): HTMLElement[] {
    const own = scene.signals.filter((signal) => signal.joint === joint.name);
    const attach = (attached: boolean): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          onclick: () => void this.#app.run(this.#app.request("attach", { joint: joint.name, attached })),
        },
        attached ? "Attach" : "Detach",
      );
    return [
      this.#header("joint", joint.name, `${joint.type} joint`),
      joint.detachable && !this.#app.store.isReplay.value
        ? h("div", { class: "row" }, attach(true), attach(false))
        : h("span"),
      ...this.#sliders("Position", [joint].filter(movesByOneNumber), (each) => this.#jointSlider(scene, each)),
      ...this.#sliders(
        "Commands",
        own.filter((signal) => signal.role === "command"),
        (signal) => this.#commandSlider(scene, signal),
      ),
      ...this.#readings(own),
      ...this.#attributes(joint.name),
    ];
  }

  #deviceContent(scene: Scene, index: number): HTMLElement[] {
    const device = scene.devices[index]!;
    const own = scene.signals.filter((signal) => device.signals.includes(signal.name));
    return [
      this.#header("device", device.name, `${device.category}: ${device.kind}`),
      ...this.#sliders(
        "Commands",
        own.filter((signal) => signal.role === "command"),
        (signal) => this.#commandSlider(scene, signal),
      ),
      ...this.#readings(own.filter((signal) => signal.role !== "command")),
      ...this.#attributes(device.name),
    ];
  }

  #readings(signals: readonly Signal[]): HTMLElement[] {
    if (signals.length === 0) return [];
    const rows = signals.map((signal): [string, HTMLElement] => {
      const value = h("output", {}, "–");
      // There are no measurements before the first step.
      const isKnown = (): boolean => this.#before !== null && this.#before.step > 0;
      this.#live.push([signal.name, (now) => setText(value, isKnown() ? formatReading(now, signal.unit) : "–")]);
      const plot = iconButton("chart", `Plot ${signal.name}`, () => this.#app.plots.addSignal(signal.name));
      return [signal.name.split("/").at(-1)!, h("span", { class: "reading" }, value, plot)];
    });
    return [this.#section("Readings", this.#facts(rows))];
  }

  #commandSlider(scene: Scene, signal: Signal): HTMLElement {
    const { app, label } = { app: this.#app, label: shortName(signal.name, robotOf(scene, signal.name)) };
    const values = new Latest<number>((value) => app.run(app.request("set", { signal: signal.name, value })));
    const { unit, lower, upper } = signal;
    const value = app.history.lastValue(signal.name);
    const made = slider({
      label,
      unit,
      lower,
      upper,
      value: Number.isNaN(value) ? 0 : value,
      changed: (v) => values.set(v),
    });
    this.#live.push([signal.name, (now) => made.show(now)]);
    return made.element;
  }

  #jointSlider(scene: Scene, joint: Joint): HTMLElement {
    const app = this.#app;
    const positions = new Latest<number>((position) => app.run(app.request("joint", { joint: joint.name, position })));
    const unit = joint.unit || (joint.type === "hinge" ? "rad" : "m");
    const number = scene.joints.indexOf(joint);
    const value = app.store.state.value?.joints[number] ?? 0;
    const label = shortName(joint.name, robotOf(scene, joint.name));
    const { lower, upper } = joint;
    const made = slider({ label, unit, lower, upper, value, changed: (v) => positions.set(v) });
    this.#joints.push([number, (now) => made.show(now)]);
    return made.element;
  }

  /// Numeric scenario attributes of an element; filled when the server has answered.
  #attributes(path: string): HTMLElement[] {
    if (this.#app.store.isReplay.value) return [];
    const section = this.#section("Attributes", h("p", { class: "hint" }, "…"));
    this.#app.request("attributes", { path }).then(
      ({ attributes }) => {
        section.hidden = attributes.length === 0;
        section.replaceChildren(h("h3", {}, "Attributes"), ...this.#attributeSliders(attributes));
        if (section.isConnected) this.#returnToPlace();
      },
      (error: Error) => section.replaceChildren(h("h3", {}, "Attributes"), h("p", { class: "hint" }, error.message)),
    );
    return [section];
  }

  /// Grouped by element if there are several: a link, its joint, its shapes.
  #attributeSliders(attributes: readonly Attribute[]): HTMLElement[] {
    const elementOf = ({ xpath }: Attribute): string => xpath.slice(0, xpath.lastIndexOf("/"));
    const hasSeveral = new Set(attributes.map(elementOf)).size > 1;
    return attributes.flatMap((each, i) => {
      const element = elementOf(each);
      const made = this.#attributeSlider(each);
      if (!hasSeveral || (i > 0 && elementOf(attributes[i - 1]!) === element)) return [made];
      const [, name, number] = /([^/[]+)(?:\[(\d+)\])?$/.exec(element) ?? [];
      return [h("h4", {}, number && number !== "1" ? `${name} ${number}` : name!), made];
    });
  }

  #attributeSlider({ xpath, name, value, number, unit, min, max, type, step, doc }: Attribute): HTMLElement {
    const app = this.#app;
    const edits = new Latest<number>(async (wanted) => {
      const text = unit ? `${wanted} ${unit}` : String(wanted);
      const answer = app.request("edit", { xpath, value: text });
      if (!(await app.run(answer))) made.revert(number!);
      else if ((await answer).restarted) app.tell(`Changing ${name} changed the model: the run was restarted`);
    });
    if (number === null) return h("p", { class: "hint" }, `${name}: ${value} ${formatUnit(unit)}`);
    // Stiffnesses, dampings and times span powers of ten; positions and angles do not.
    const isLog =
      (min ?? -1) >= 0 && number > 0 && unit !== "rad" && type !== "integer" && (max ?? Infinity) > 10 * number;
    const made = slider({
      label: name,
      unit,
      lower: min,
      upper: max,
      value: number,
      doc,
      step,
      isLog,
      waits: true,
      changed: (v) => edits.set(v),
    });
    return made.element;
  }
}

function robotOf(scene: Scene, name: string): string | undefined {
  const first = name.split("/")[0];
  // With several robots, their names tell equal joints apart.
  if (new Set(scene.bodies.map((body) => body.robot || "").filter(Boolean)).size > 1) return undefined;
  return scene.bodies.some((body) => body.robot === first) ? first : undefined;
}

const velocity6: number[] = [0, 0, 0, 0, 0, 0];
const pose16 = new Float64Array(16);

function vector(values: ArrayLike<number>, at: number): string {
  return [0, 1, 2].map((i) => formatFixed(values[at + i]!)).join("  ");
}

function showMotion(
  state: StateMessage,
  before: StateMessage | null,
  index: number,
  center: Vec3,
  position: HTMLElement,
  turn: HTMLElement,
  velocity: HTMLElement,
  spin: HTMLElement,
): void {
  const at = index * POSE_FLOATS;
  if (state.poses.length < at + POSE_FLOATS) return;
  setText(position, vector(state.poses, at));
  setText(turn, vector(rollPitchYaw(state.poses, at + 3), 0));
  if (!before || before.poses.length !== state.poses.length || !(state.time > before.time)) {
    if (!before) for (const element of [velocity, spin]) setText(element, "–");
    return;
  }
  calcVelocity(velocity6, before.poses, state.poses, at, state.time - before.time);
  setText(velocity, vector(centerVelocity(state.poses, at, center), 0));
  setText(spin, vector(velocity6, 3));
}

/// Velocity of the centre of mass: v + w × (R c), from velocity6.
function centerVelocity(poses: Float32Array, at: number, center: Vec3): Vec3 {
  writePose(pose16, 0, poses, at);
  pose16.fill(0, 12, 15); // rotation only
  const [vx, vy, vz, wx, wy, wz] = velocity6 as [number, number, number, number, number, number];
  const r: Vec3 = [0, 0, 0];
  writePoint(r, 0, pose16, 0, center);
  return [vx + wy * r[2] - wz * r[1], vy + wz * r[0] - wx * r[2], vz + wx * r[1] - wy * r[0]];
}

/// Roll, pitch, yaw in degrees: rotations about the world's x, then y, then z.
function rollPitchYaw(q: ArrayLike<number>, at: number): number[] {
  const [w, x, y, z] = [q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!];
  const degrees = 180 / Math.PI;
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * degrees,
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))) * degrees,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * degrees,
  ];
}
