// Plots a formula over signals. The server evaluates it, in the language of studies and conditions.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";

export function makeFormulaForm(app: App): HTMLElement {
  const input = h("input", {
    type: "text",
    "aria-label": "Formula over signals",
    placeholder: "Formula: derivative(arm/elbow/angle)",
    title:
      "Signals, numbers with units, + - * / and comparisons, abs(x), min(x, y), max(x, y), derivative(x).\n" +
      "'-' and '/' between signals need blanks: a/torque * a/speed",
  });
  const error = h("p", { class: "formula-error", role: "alert" });
  const plot = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === "") return;
    try {
      app.plots.addSignal(await app.plots.defineFormula(text));
      setText(error, "");
      input.value = "";
    } catch (reason) {
      setText(error, (reason as Error).message);
    }
  };
  return h(
    "form",
    { class: "formula", onsubmit: (event: Event) => void plot(event) },
    h("div", { class: "row" }, input, h("button", { title: "Plot the formula" }, "Plot")),
    error,
  );
}
