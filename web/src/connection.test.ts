import { expect, it } from "vitest";
import { calcRetryDelay } from "./connection.ts";

it("tries again soon, then less often, and never waits longer than five seconds", () => {
  expect(calcRetryDelay(0, 1)).toBe(250);
  expect(calcRetryDelay(1, 1)).toBe(500);
  for (let attempt = 0; attempt < 100; ++attempt) {
    expect(calcRetryDelay(attempt, 0)).toBeGreaterThan(180);
    expect(calcRetryDelay(attempt, 1)).toBeLessThanOrEqual(5000);
  }
});
