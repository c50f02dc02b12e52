// The error list of a scenario, each error shown at its line.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import type { Diagnostic } from "../protocol.ts";
import type { Problems } from "../store.ts";
import { iconButton } from "../widgets.ts";

/// Lines of context shown around each error.
const LINES_AROUND = 4;

export function makeProblems(app: App): HTMLElement {
  const element = h("section", { class: "problems", "aria-label": "Scenario errors", hidden: true });
  app.store.problems.watch((problems) => {
    element.hidden = problems === null;
    if (!problems) return;
    const close = iconButton("close", "Close", () => app.store.problems.set(null));
    element.replaceChildren(
      h("header", {}, h("h2", {}, `Cannot open ${problems.title}`), close),
      problems.source === undefined ? diagnosticList(problems.diagnostics) : listing(problems),
    );
    close.focus();
  });
  return element;
}

function message({ file, line, column, severity, text }: Diagnostic): HTMLElement {
  return h(
    "p",
    { class: `message ${severity}`, role: "alert" },
    h("code", {}, `${file}:${line}:${column}: ${severity}: `),
    text,
  );
}

function diagnosticList(diagnostics: readonly Diagnostic[]): HTMLElement {
  return h("div", { class: "listing" }, ...diagnostics.map(message));
}

function listing({ diagnostics, source }: Problems): HTMLElement {
  // Errors in included files refer to lines that are not in this text.
  const file = diagnostics[0]!.file;
  const here = diagnostics.filter((each) => each.file === file);
  const elsewhere = diagnostics.filter((each) => each.file !== file);
  const isNear = (line: number): boolean => here.some((each) => Math.abs(each.line - line) <= LINES_AROUND);
  const rows: HTMLElement[] = [];
  source!.split("\n").forEach((text, i) => {
    const line = i + 1;
    if (!isNear(line)) {
      if (rows.at(-1)?.className !== "gap") rows.push(h("div", { class: "gap" }, "⋯"));
      return;
    }
    const own = here.filter((each) => each.line === line);
    const number = h("span", { class: "line-number" }, String(line));
    rows.push(h("div", { class: own.length > 0 ? "line marked" : "line" }, number, h("code", {}, text)));
    rows.push(...own.map(message));
  });
  return h("div", { class: "listing" }, ...rows, ...elsewhere.map(message));
}
