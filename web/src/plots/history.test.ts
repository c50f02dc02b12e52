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
