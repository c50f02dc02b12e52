// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenScene } from "../golden_messages_testing.ts";
import type { Device, Scene } from "../protocol.ts";
import { findBlobs, findControllers, findScores, makeController } from "./controller.ts";
import { makeTestApp, textsOf, type TestApp } from "./panel_testing.ts";

function device(name: string, category: string, kind: string, quantities: string[]): Device {
  const robot = name.includes("/") ? name.split("/")[0]! : null;
  return { name, category, kind, robot, signals: quantities.map((quantity) => `${name}/${quantity}`) };
}

const BLOB = ["left", "top", "width", "height", "x", "y", "area", "confidence"];
const CAMERA = ["enabled", "frame", "width", "height", "channel1/hue_from", "channel1/count"];
const scene: Scene = {
  ...goldenScene,
  devices: [
    device("bot/analog0", "sensor", "infrared_range", ["level"]),
    device("bot/digital2", "sensor", "touch", ["touch"]),
    device("bot/camera", "sensor", "camera", [...CAMERA, ...BLOB.map((each) => `channel1/blob0/${each}`)]),
    device("bot/motor3", "actuator", "dc_motor", ["duty", "coast", "torque"]),
    device("bot/panel", "actuator", "panel", ["a", "side", "start", "running"]),
    device("stand/pose", "sensor", "pose", ["x"]),
    device("score", "sensor", "score", ["points"]),
  ],
};

/// An app whose signals have these values.
function makeApp(values: Record<string, number>, answers: Record<string, unknown> = {}): TestApp {
  const app = makeTestApp(answers);
  const subscribed: string[][] = [];
  return Object.assign(app, {
    history: { lastValue: (signal: string) => values[signal] ?? Number.NaN },
    subscriptions: { setSignals: (_: string, signals: string[]) => subscribed.push(signals) },
    subscribed,
  });
}

function show(app: TestApp): HTMLElement {
  const element = makeController(app);
  app.store.push({ push: "scene", scene });
  app.store.state.set({} as never);
  return element;
}

it("finds what each robot has", () => {
  const [bot, ...others] = findControllers(scene);
  expect(others).toEqual([]);
  expect(bot!.robot).toBe("bot");
  expect(bot!.buttons.map(({ label }) => label)).toEqual(["a", "side"]);
  expect(bot!.start).toBe("bot/panel/start");
  expect(bot!.ports.map(({ signal }) => signal)).toEqual(["bot/analog0/level", "bot/digital2/touch"]);
  expect(bot!.motors.map(({ signal }) => signal)).toEqual(["bot/motor3/duty"]);
  expect(findScores(scene)).toEqual([{ label: "score", signal: "score/points" }]);
});

it("draws blobs in fractions of the image", () => {
  const blob = { left: 40, top: 30, width: 16, height: 12, area: 150 };
  const values = new Map<string, number>([
    ["bot/camera/width", 160],
    ["bot/camera/height", 120],
  ]);
  for (const [quantity, value] of Object.entries(blob)) values.set(`bot/camera/channel1/blob0/${quantity}`, value);
  const camera = findControllers(scene)[0]!.cameras[0]!;
  const boxes = findBlobs(camera, (signal) => values.get(signal) ?? 0);
  expect(boxes).toEqual([{ channel: 1, left: 0.25, top: 0.25, width: 0.1, height: 0.1 }]);
  values.set("bot/camera/channel1/blob0/area", 0);
  expect(findBlobs(camera, (signal) => values.get(signal) ?? 0)).toEqual([]);
});

it("shows score and ports", () => {
  const element = show(makeApp({ "score/points": 35, "bot/analog0/level": 0.25, "bot/digital2/touch": 1 }));
  expect(textsOf(element, "output").slice(0, 3)).toEqual(["35", "0.25", "1"]);
});

it("presses a button as long as the pointer is down", () => {
  const app = makeApp({});
  const button = show(app).querySelector<HTMLElement>(".controller-button")!;
  button.dispatchEvent(new Event("pointerdown"));
  button.dispatchEvent(new Event("pointerup"));
  button.dispatchEvent(new Event("pointerleave"));
  expect(app.requests).toEqual([
    ["set", { signal: "bot/panel/a", value: 1 }],
    ["set", { signal: "bot/panel/a", value: 0 }],
  ]);
});

it("switches the start lamp", () => {
  const app = makeApp({ "bot/panel/start": 1 });
  const lamp = show(app).querySelector<HTMLElement>(".start-lamp")!;
  expect(lamp.getAttribute("aria-pressed")).toBe("true");
  lamp.click();
  expect(app.requests).toEqual([["set", { signal: "bot/panel/start", value: 0 }]]);
});

it("asks for an image once per frame of the camera", async () => {
  const app = makeApp({ "bot/camera/frame": 3 }, { image: { width: 160, height: 120, url: "/download/1" } });
  const element = show(app);
  app.store.state.set({} as never);
  await Promise.resolve();
  await Promise.resolve();
  app.store.state.set({} as never);
  expect(app.requests).toEqual([["image", { sensor: "bot/camera" }]]);
  expect(element.querySelector("img")!.getAttribute("src")).toBe("/download/1");
});

it("says that there is nothing to control", () => {
  const app = makeApp({});
  const element = makeController(app);
  app.store.push({ push: "scene", scene: { ...goldenScene, devices: [] } });
  expect(element.textContent).toContain("No robot");
});
