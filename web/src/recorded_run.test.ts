import { expect, it } from "vitest";
import { goldenScene } from "./golden_messages_testing.ts";
import { decodeRun, indexAt } from "./recorded_run.ts";

/// A run as html_export.cc writes it: two frames and one row.
function encode(frames: number): ArrayBuffer {
  const head = { version: "1", scene: goldenScene, events: [], assets: {}, end: 1, frames, rows: 1, row_period: 0.5 };
  let text = JSON.stringify(head);
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const { bodies, joints, signals } = goldenScene;
  const doubles = [0, 1, 0, 10, 0, ...signals.map((_, i) => i)];
  const floats = 2 * (7 * bodies.length + joints.length);
  const buffer = new ArrayBuffer(8 + text.length + 8 * doubles.length + 4 * floats);
  new DataView(buffer).setUint32(0, text.length, true);
  new Uint8Array(buffer, 8, text.length).set(new TextEncoder().encode(text));
  new Float64Array(buffer, 8 + text.length, doubles.length).set(doubles);
  return buffer;
}

it("decodes a run, and checks its counts", () => {
  const run = decodeRun(encode(2));
  expect([...run.times, ...run.steps]).toEqual([0, 1, 0, 10]);
  expect([...run.rowTimes]).toEqual([0]);
  expect(run.scene.row_period).toBe(0.5);
  expect(run.poses.length).toBe(14 * goldenScene.bodies.length);
  expect(() => decodeRun(encode(200))).toThrow("truncated");
});

it("finds the last instant that is not after a time", () => {
  expect([-1, 0, 0.5, 1, 9].map((time) => indexAt([0, 1, 2], time))).toEqual([0, 0, 0, 1, 2]);
});
