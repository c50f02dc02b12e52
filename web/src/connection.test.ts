import { expect, it } from "vitest";
import { calcRetryDelay } from "./connection.ts";

it("retries soon, then less often, with at most five seconds between attempts", () => {
  expect(calcRetryDelay(0, 1)).toBe(250);
  expect(calcRetryDelay(1, 1)).toBe(500);
  for (let attempt = 0; attempt < 100; ++attempt) {
    expect(calcRetryDelay(attempt, 0)).toBeGreaterThan(180);
    expect(calcRetryDelay(attempt, 1)).toBeLessThanOrEqual(5000);
  }
});
