import { expect, it } from "vitest";
import { decodeState } from "../state_message.ts";
import { encodeState } from "../state_message_testing.ts";
import { decimate, type Points } from "./decimate.ts";
import { History } from "./history.ts";

function historyOf(values: number[]): History {
  const history = new History();
  history.setLayout(["a"]);
  const rows = values.flatMap((value, i) => [i, value]);
  history.append(decodeState(encodeState({ scene: 1, step: 0, time: 0, hasGap: false, signalCount: 1, rows })));
  return history;
}

it("keeps every row if there are few enough", () => {
  const out: Points = [[]];
  decimate(out, historyOf([3, 1, 4, Number.NaN, 5]), ["a"], 1, 5, 100);
  expect(out).toEqual([
    [1, 2, 3, 4],
    [1, 4, null, 5],
  ]);
});

it("keeps a spike of a single row among a hundred thousand", () => {
  const values = Array.from({ length: 100_000 }, (_, i) => Math.sin(i / 1000));
  values[54_321] = 50;
  const out: Points = [[]];
  decimate(out, historyOf(values), ["a"], 0, values.length, 1000);
  expect(out[0].length).toBeLessThanOrEqual(1002);
  expect(out[1]!.length).toBe(out[0].length);
  expect(Math.max(...(out[1] as number[]))).toBe(50);
  expect(out[0].every((time, i) => i === 0 || time >= out[0][i - 1]!)).toBe(true);
});

it("gives gaps for a signal without values", () => {
  const out: Points = [[]];
  decimate(out, historyOf([1, 2]), ["b"], 0, 2, 100);
  expect(out).toEqual([
    [0, 1],
    [null, null],
  ]);
});

it("breaks the line at a hole, also where rows are joined", () => {
  const history = new History();
  history.rowPeriod = 1;
  history.setLayout(["a"]);
  history.merge(["a"], Float64Array.from([0, 1, 1, 2, 9, 3, 10, 4]));
  const out: Points = [[]];
  decimate(out, history, ["a"], 0, 4, 100);
  expect(out).toEqual([
    [0, 1, 5, 9, 10],
    [1, 2, null, 3, 4],
  ]);
  decimate(out, history, ["a"], 0, 4, 2);
  expect(out).toEqual([
    [0, 1, 5, 9, 10],
    [1, 2, null, 3, 4],
  ]);
});
