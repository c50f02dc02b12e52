// The controllers of robots: buttons and start lamp, ports, motors, servos, what the camera sees, and the score.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatNumber } from "../format.ts";
import type { Device, Scene } from "../protocol.ts";
import { shortName } from "./tree.ts";

const BUTTONS = ["a", "b", "c", "x", "y", "z", "side", "left", "right", "up", "down"];
const BLOB_COLORS = 6;
/// Between two images of a camera, ms: more would not look smoother, and each takes time of the run.
const IMAGE_PERIOD = 100;

/// A number that is shown: the signal, and what it is called.
export interface Reading {
  label: string;
  signal: string;
}

export interface Camera {
  name: string;
  label: string;
  signals: readonly string[];
}

/// What one robot has of a controller.
export interface Controller {
  robot: string;
  /// Signals of the buttons by name, and of the start lamp, of the robot's panel.
  buttons: Reading[];
  start: string | undefined;
  ports: Reading[];
  motors: Reading[];
  servos: Reading[];
  cameras: Camera[];
}

const READINGS: [RegExp, string, "ports" | "motors" | "servos"][] = [
  [/^analog\d+$/, "level", "ports"],
  [/^digital\d+$/, "", "ports"],
  [/^motor\d+$/, "duty", "motors"],
  [/^encoder\d+$/, "count", "motors"],
  [/^create\d_(left|right)_drive$/, "target", "motors"],
  [/^create\d_(left|right)_(bump|drop)$/, "", "ports"],
  [/^create\d_(cliff|edge|light|ir)\d$/, "", "ports"],
  [/^create\d_wall$/, "", "ports"],
  [/^servo\d+$/, "target", "servos"],
];

/// The robots of a scene that have a panel or a camera.
export function findControllers(scene: Scene): Controller[] {
  const robots = new Map<string, Device[]>();
  for (const device of scene.devices) {
    if (!device.robot) continue;
    robots.set(device.robot, [...(robots.get(device.robot) ?? []), device]);
  }
  return [...robots]
    .filter(([, devices]) => devices.some(({ kind }) => kind === "panel" || kind === "camera"))
    .map(([robot, devices]) => controllerOf(robot, devices));
}

function controllerOf(robot: string, devices: readonly Device[]): Controller {
  const controller: Controller = {
    robot,
    buttons: [],
    start: undefined,
    ports: [],
    motors: [],
    servos: [],
    cameras: [],
  };
  for (const device of devices) {
    const label = shortName(device.name, robot);
    if (device.kind === "panel") {
      for (const button of BUTTONS) {
        const signal = `${device.name}/${button}`;
        if (device.signals.includes(signal)) controller.buttons.push({ label: button, signal });
      }
      controller.start = device.signals.find((signal) => signal.endsWith("/start"));
    }
    if (device.kind === "camera") controller.cameras.push({ name: device.name, label, signals: device.signals });
    for (const [pattern, quantity, list] of READINGS) {
      if (!pattern.test(label)) continue;
      const signal = quantity ? `${device.name}/${quantity}` : device.signals[0];
      if (signal && device.signals.includes(signal)) controller[list].push({ label, signal });
    }
  }
  return controller;
}

/// The scores of a scene.
export function findScores(scene: Scene): Reading[] {
  return scene.devices
    .filter(({ kind }) => kind === "score")
    .map(({ name }) => ({ label: name, signal: `${name}/points` }));
}

/// A blob that is drawn over an image, in fractions of its size.
export interface Box {
  channel: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

/// The blobs of a camera, by the values of its signals.
export function findBlobs(camera: Camera, valueOf: (signal: string) => number): Box[] {
  const [width, height] = [valueOf(`${camera.name}/width`), valueOf(`${camera.name}/height`)];
  const boxes: Box[] = [];
  for (const signal of camera.signals) {
    const found = /\/channel(\d+)\/blob\d+\/area$/.exec(signal);
    if (!found || !(valueOf(signal) > 0)) continue;
    const of = (quantity: string): number => valueOf(signal.replace(/area$/, quantity));
    boxes.push({
      channel: Number(found[1]),
      left: of("left") / width,
      top: of("top") / height,
      width: of("width") / width,
      height: of("height") / height,
    });
  }
  return boxes;
}

/// A part of the panel that is drawn again with every state.
type Draw = () => void;

export function makeController(app: App): HTMLElement {
  const content = h("div", { class: "panel-content controller" });
  let draws: Draw[] = [];
  let signals: string[] = [];

  function build(scene: Scene | null): void {
    draws = [];
    signals = [];
    const scores = scene ? findScores(scene) : [];
    const controllers = scene ? findControllers(scene) : [];
    content.replaceChildren();
    if (scores.length > 0) content.append(readings("Score", scores, 4));
    for (const controller of controllers) {
      content.append(h("h3", {}, controller.robot));
      if (controller.start) content.append(startLamp(controller.start));
      if (controller.buttons.length > 0) content.append(buttons(controller.buttons));
      for (const camera of controller.cameras) content.append(image(camera));
      if (controller.ports.length > 0) content.append(readings("Ports", controller.ports));
      if (controller.motors.length > 0) content.append(readings("Motors", controller.motors));
      if (controller.servos.length > 0) content.append(readings("Servos", controller.servos));
    }
    if (content.childElementCount === 0)
      content.append(h("p", { class: "hint" }, "No robot of this scenario has a panel or a camera."));
    subscribe();
  }

  /// Only while the panel is shown: the history of each signal takes memory.
  function subscribe(): void {
    app.subscriptions.setSignals("controller", content.hidden ? [] : signals);
  }

  function readings(title: string, list: readonly Reading[], digits = 3): HTMLElement {
    const rows = list.map(({ label, signal }) => {
      signals.push(signal);
      const value = h("output", { "aria-label": label });
      draws.push(() => {
        const number = app.history.lastValue(signal);
        setText(value, Number.isNaN(number) ? "–" : formatNumber(number, digits));
      });
      return h("div", { class: "reading", title: signal }, h("span", { class: "muted" }, label), value);
    });
    return h("section", { "aria-label": title }, h("h4", {}, title), h("div", { class: "readings" }, ...rows));
  }

  function set(signal: string, value: number): void {
    void app.run(app.request("set", { signal, value }));
  }

  /// Pressed as long as the mouse or the key is.
  function buttons(list: readonly Reading[]): HTMLElement {
    const made = list.map(({ label, signal }) => {
      let isDown = false;
      const press = (down: boolean) => (): void => {
        if (isDown === down) return;
        isDown = down;
        set(signal, down ? 1 : 0);
      };
      const onKey =
        (down: boolean) =>
        (event: KeyboardEvent): void => {
          if (event.key !== " " && event.key !== "Enter") return;
          event.preventDefault();
          press(down)();
        };
      const element = h("button", {
        type: "button",
        class: "controller-button",
        onpointerdown: press(true),
        onpointerup: press(false),
        onpointerleave: press(false),
        onblur: press(false),
        onkeydown: onKey(true),
        onkeyup: onKey(false),
      });
      setText(element, label.length === 1 ? label.toUpperCase() : label);
      signals.push(signal);
      draws.push(() => element.classList.toggle("on", app.history.lastValue(signal) >= 0.5));
      return element;
    });
    return h("div", { class: "controller-buttons", role: "group", "aria-label": "Buttons" }, ...made);
  }

  function startLamp(signal: string): HTMLElement {
    const isOn = (): boolean => app.history.lastValue(signal) >= 0.5;
    const lamp = h("button", { type: "button", class: "start-lamp" }, "Start lamp");
    lamp.addEventListener("click", () => set(signal, isOn() ? 0 : 1));
    signals.push(signal);
    draws.push(() => {
      lamp.classList.toggle("on", isOn());
      lamp.setAttribute("aria-pressed", String(isOn()));
    });
    return lamp;
  }

  function image(camera: Camera): HTMLElement {
    const [frame, enabled] = [`${camera.name}/frame`, `${camera.name}/enabled`];
    signals.push(...camera.signals.filter((signal) => !/_(from|to)$/.test(signal)));
    const seen = h("img", { alt: `What ${camera.name} sees`, hidden: true });
    const blobs = h("div", { class: "blobs" });
    const toggle = h("input", { type: "checkbox" });
    toggle.addEventListener("change", () => set(enabled, toggle.checked ? 1 : 0));
    let shown = 0;
    let isAsking = false;
    let askedAt = Number.NEGATIVE_INFINITY;

    async function ask(number: number): Promise<void> {
      isAsking = true;
      askedAt = performance.now();
      try {
        seen.src = (await app.request("image", { sensor: camera.name })).url;
        seen.hidden = false;
        shown = number;
      } catch {
        // After a jump in time there is none until the next one is taken.
      } finally {
        isAsking = false;
      }
    }

    draws.push(() => {
      const valueOf = (signal: string): number => app.history.lastValue(signal);
      toggle.checked = valueOf(enabled) >= 0.5;
      blobs.replaceChildren(...findBlobs(camera, valueOf).map(drawBlob));
      const number = valueOf(frame);
      const isDue = number > 0 && number !== shown && performance.now() - askedAt >= IMAGE_PERIOD;
      if (isDue && !isAsking && !content.hidden) void ask(number);
    });
    return h(
      "section",
      { "aria-label": camera.label },
      h("label", { class: "camera-title" }, h("h4", {}, camera.label), toggle, "on"),
      h("div", { class: "camera-image" }, seen, blobs),
    );
  }

  app.store.scene.watch(build);
  app.store.state.watch(() => {
    if (!content.hidden) for (const draw of draws) draw();
  });
  new MutationObserver(subscribe).observe(content, { attributes: true, attributeFilter: ["hidden"] });
  return content;
}

function drawBlob({ channel, left, top, width, height }: Box): HTMLElement {
  const percent = (fraction: number): string => `${(100 * fraction).toFixed(2)}%`;
  const style = `left:${percent(left)};top:${percent(top)};width:${percent(width)};height:${percent(height)}`;
  return h("div", { class: `blob channel-${channel % BLOB_COLORS}`, style, title: `channel ${channel}` });
}
