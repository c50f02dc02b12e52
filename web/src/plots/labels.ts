// Short labels of signals in a legend.

const LEAST_PARTS = 2;

/// The names without the parts that all of them begin with, but with at least two parts: signals of two robots keep the
/// robots' names, those of one robot need it only once, in the tooltip. Formulas are not shortened.
export function shortLabels(names: readonly string[]): string[] {
  const plain = names.filter((name) => !name.startsWith("="));
  const parts = plain.map((name) => name.split("/"));
  let common = 0;
  const isShared = (i: number): boolean =>
    parts.every((each) => each[i] === parts[0]![i] && each.length - i > LEAST_PARTS);
  while (plain.length > 1 && isShared(common)) ++common;
  return names.map((name) => (name.startsWith("=") ? name : name.split("/").slice(common).join("/")));
}
