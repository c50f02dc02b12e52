import { expect, it } from "vitest";
import { decodeState } from "../state_message.ts";
import { encodeState } from "../state_message_testing.ts";
import { History } from "./history.ts";

function state(signalCount: number, ...rows: number[][]) {
  return decodeState(encodeState({ scene: 1, step: 0, time: 0, hasGap: false, signalCount, rows: rows.flat() }));
}

function values(history: History, signal: string): number[] {
  return [...history.column(signal)!.subarray(0, history.length)];
}

it("keeps rows in their order", () => {
  const history = new History();
  history.setLayout(["a", "b"]);
  history.append(state(2, [0, 1, 10], [0.1, 2, 20]));
  history.append(state(2, [0.2, 3, 30]));
  expect(values(history, "b")).toEqual([10, 20, 30]);
  expect(history.lastTime).toBe(0.2);
  expect(history.lastValue("a")).toBe(3);
});

it("drops later rows when the run returns to an earlier time", () => {
  const history = new History();
  history.setLayout(["a"]);
  history.append(state(1, [0, 1], [1, 2], [2, 3], [3, 4]));
  history.append(state(1, [1, 20], [1.5, 30]));
  expect([...history.times.subarray(0, history.length)]).toEqual([0, 1, 1.5]);
  expect(values(history, "a")).toEqual([1, 20, 30]);
});

it("shows a gap where a signal was not subscribed", () => {
  const history = new History();
  history.setLayout(["a"]);
  history.append(state(1, [0, 1]));
  history.setLayout(["b", "a"]);
  history.append(state(2, [1, 5, 2]));
  expect(values(history, "a")).toEqual([1, 2]);
  expect(values(history, "b")).toEqual([Number.NaN, 5]);
});

it("omits rows of an earlier subscription", () => {
  const history = new History();
  history.setLayout(["a", "b"]);
  history.append(state(1, [0, 1]));
  expect(history.length).toBe(0);
});

it("is bounded and keeps the newest rows", () => {
  const history = new History();
  history.setLayout(["a"]);
  const block = 1000;
  for (let start = 0; start < 700_000; start += block) {
    history.append(state(1, ...Array.from({ length: block }, (_, i) => [start + i, 2 * (start + i)])));
  }
  expect(history.length).toBeLessThan(600_000);
  expect(history.lastTime).toBe(699_999);
  expect(history.lastValue("a")).toBe(2 * 699_999);
  const middle = history.length >>> 1;
  expect(history.column("a")![middle]).toBe(2 * history.times[middle]!);
});

const PERIOD = 1;

function times(history: History): number[] {
  return [...history.times.subarray(0, history.length)];
}

it("keeps the later rows while the past is shown, and shows its values", () => {
  const history = new History();
  history.rowPeriod = PERIOD;
  history.setLayout(["a"]);
  history.append(state(1, [0, 1], [1, 2], [2, 3], [3, 4]));
  const past = encodeState({ scene: 1, step: 0, time: 0, hasGap: false, signalCount: 1, rows: [1, 2], isPast: true });
  history.append(decodeState(past));
  expect(times(history)).toEqual([0, 1, 2, 3]);
  expect(history.lastValue("a")).toBe(2);
  expect(history.takeHole(0, 9)).toBeUndefined();
});

it("knows the holes, and fills them with rows in any order", () => {
  const history = new History();
  history.rowPeriod = PERIOD;
  history.setLayout(["a"]);
  history.append(state(1, [0, 10], [1, 11]));
  history.append(state(1, [5, 15], [6, 16]));
  expect([0, 1, 2, 3].map((row) => history.hasHoleBefore(row))).toEqual([false, false, true, false]);
  expect(history.takeHole(0, 9)).toEqual({ from: 1, to: 5, signals: ["a"] });
  history.setLayout(["a", "b"]);
  expect(history.takeHole(0, 9)).toEqual({ from: 0, to: 6, signals: ["b"] });
  history.merge(["a"], Float64Array.from([1, 11, 2, 12, 3, 13, 4, 14, 5, 15]));
  expect(times(history)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(values(history, "a")).toEqual([10, 11, 12, 13, 14, 15, 16]);
  history.merge(["b"], Float64Array.from([0, 20, 1, 21, 2, 22, 3, 23, 4, 24, 5, 25, 6, 26]));
  expect(values(history, "a")).toEqual([10, 11, 12, 13, 14, 15, 16]);
  expect(values(history, "b")).toEqual([20, 21, 22, 23, 24, 25, 26]);
});

it("has a hole before a first row in the middle of a run, which is filled part by part", () => {
  const history = new History();
  history.rowPeriod = 1;
  history.setLayout(["a"]);
  history.append(state(1, [100, 1]));
  expect(history.knownStart).toBe(0);
  expect(history.takeHole(90, 110)).toEqual({ from: 90, to: 100, signals: ["a"] });
  expect(history.takeHole(90, 110)).toBeUndefined();
  expect(history.takeHole(40, 50)).toEqual({ from: 40, to: 50, signals: ["a"] });
  expect(history.takeHole(0, 60)).toEqual({ from: 50, to: 60, signals: ["a"] });
  expect(history.takeHole(0, 60)).toEqual({ from: 0, to: 40, signals: ["a"] });
});
