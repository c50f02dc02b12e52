// What the constraint solver did in the last step, and how well the constraints hold.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatNumber } from "../format.ts";
import type { Solver } from "../protocol.ts";

const MILLIMETRES = 1000;

const ROWS: { title: string; doc: string; show: (solver: Solver) => string }[] = [
  {
    title: "Iterations",
    doc: "Iterations of the solver in the last step",
    show: ({ iterations }) => String(iterations),
  },
  { title: "Contacts", doc: "Contact points now", show: ({ contacts }) => String(contacts) },
  {
    title: "Constraint rows",
    doc: "Scalar constraints now: contacts, limits, loops, couplings, dry friction",
    show: ({ constraint_rows }) => String(constraint_rows),
  },
  {
    title: "Largest penetration",
    doc: "How deep bodies are in each other",
    show: ({ penetration }) => `${formatNumber(MILLIMETRES * penetration, 3)} mm`,
  },
  {
    title: "Largest loop error",
    doc: "How far loops, couplings and locks are open (rotations: thousandths of a radian)",
    show: ({ loop_error }) => `${formatNumber(MILLIMETRES * loop_error, 3)} mm`,
  },
];

export function makeSolver(app: App): HTMLElement {
  const values = ROWS.map(({ title }) => h("output", { "aria-label": title }, "–"));
  const rows = ROWS.map(({ title, doc }, i) =>
    h("tr", { title: doc }, h("th", { scope: "row" }, title), h("td", { class: "number" }, values[i])),
  );
  app.store.status.watch(({ solver }) =>
    ROWS.forEach(({ show }, i) => setText(values[i]!, solver ? show(solver) : "–")),
  );
  return h("div", { class: "panel-content" }, h("table", { class: "values solver" }, h("tbody", {}, ...rows)));
}
