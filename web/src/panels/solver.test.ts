// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenStatus } from "../golden_messages_testing.ts";
import { makeTestApp, textsOf } from "./panel_testing.ts";
import { makeSolver } from "./solver.ts";

it("shows the numbers of the solver", () => {
  const app = makeTestApp();
  const panel = makeSolver(app);
  expect(textsOf(panel, "output")[0]).toBe("–");
  const solver = { iterations: 3, contacts: 4, constraint_rows: 16, penetration: 2e-6, loop_error: 0.000017 };
  app.store.setStatus({ ...goldenStatus, solver });
  expect(textsOf(panel, "output")).toEqual(["3", "4", "16", "0.002 mm", "0.017 mm"]);
});
