// @vitest-environment happy-dom
import { expect, it } from "vitest";
import type { Diagnostic } from "../protocol.ts";
import { makeTestApp, textsOf } from "./panel_testing.ts";
import { makeProblems } from "./problems.ts";

const error = (file: string, line: number): Diagnostic => ({ file, line, column: 1, severity: "error", text: "wrong" });

it("shows each error below its line, with the lines around it", () => {
  const app = makeTestApp();
  const panel = makeProblems(app);
  const source = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n");
  app.store.problems.set({ title: "a.xml", source, diagnostics: [error("a.xml", 3), error("a.xml", 30)] });
  expect(textsOf(panel, ".marked code")).toEqual(["line 3", "line 30"]);
  expect(panel.querySelectorAll(".gap").length).toBe(2); // between them, and after the last
  expect(textsOf(panel, ".message code")).toEqual(["a.xml:3:1: error: ", "a.xml:30:1: error: "]);
});

it("shows errors of included files after the listing", () => {
  const app = makeTestApp();
  const panel = makeProblems(app);
  app.store.problems.set({ title: "a.xml", source: "one", diagnostics: [error("a.xml", 1), error("b.xml", 9)] });
  expect(textsOf(panel, ".message code").at(-1)).toBe("b.xml:9:1: error: ");
});

it("closes", () => {
  const app = makeTestApp();
  const panel = makeProblems(app);
  app.store.problems.set({ title: "a.xml", diagnostics: [error("a.xml", 1)], source: undefined });
  expect(panel.hidden).toBe(false);
  panel.querySelector<HTMLButtonElement>("button")!.click();
  expect(panel.hidden).toBe(true);
});
