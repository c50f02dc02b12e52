// Writes the rows of a time interval as CSV: one line per row, "time [s]" first, an empty field for a missing value. A line
// with nothing but a time is a hole: rows are missing there.

import type { History } from "./history.ts";

export interface CsvColumn {
  name: string;
  unit: string;
}

function quote(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function writeCsv(history: History, columns: readonly CsvColumn[], from: number, to: number): string {
  const heads = [{ name: "time", unit: "s" }, ...columns];
  const lines = [heads.map(({ name, unit }) => quote(unit ? `${name} [${unit}]` : name)).join(",")];
  const data = columns.map(({ name }) => history.column(name));
  for (let i = history.firstIndexFrom(from); i < history.length && history.times[i]! <= to; ++i) {
    if (i > 0 && history.hasHoleBefore(i) && history.times[i - 1]! >= from) {
      lines.push([String((history.times[i - 1]! + history.times[i]!) / 2), ...data.map(() => "")].join(","));
    }
    const fields = data.map((column) => {
      const value = column?.[i] ?? Number.NaN;
      return Number.isNaN(value) ? "" : String(value);
    });
    lines.push([String(history.times[i]!), ...fields].join(","));
  }
  return `${lines.join("\n")}\n`;
}
