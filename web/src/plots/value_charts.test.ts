import { expect, it } from "vitest";
import { History } from "./history.ts";
import { shareOf, summarize } from "./value_charts.ts";
import { limitsOf } from "./xy_chart.ts";

it("summarizes the rows of a range", () => {
  const history = new History();
  history.setLayout(["x"]);
  history.merge(["x"], Float64Array.from([0, 100, 1, 2, 2, 4, 3, Number.NaN, 4, -100]));
  expect(summarize(history, "x", 1, 3)).toEqual({ min: 2, max: 4, mean: 3 });
  expect(summarize(history, "y", 1, 3).mean).toBeNaN();
});

it("places a needle between its limits", () => {
  expect(shareOf(5, 0, 20)).toBe(0.25);
  expect(shareOf(-5, 0, 20)).toBe(0);
  expect(shareOf(5, 5, 5)).toBe(0.5);
});

it("leaves a margin around an XY curve", () => {
  const { min, max } = limitsOf([[0, 10, Number.NaN]]);
  expect([min, max]).toEqual([-0.5, 10.5]);
});
