import { expect, it } from "vitest";
import { findBars } from "./bands.ts";
import { History } from "./history.ts";

it("makes one bar for as long as a value stays, and none over a hole", () => {
  const history = new History();
  history.rowPeriod = 1;
  history.setLayout(["mode"]);
  history.merge(["mode"], Float64Array.from([0, 1, 1, 1, 2, 3, 3, 3, 8, 3, 9, Number.NaN, 10, 1].map(Number)));
  expect(findBars(history, "mode", 0, history.length)).toEqual([
    { from: 0, to: 2, value: 1 },
    { from: 2, to: 3, value: 3 },
    { from: 8, to: 8, value: 3 },
    { from: 10, to: 10, value: 1 },
  ]);
});
