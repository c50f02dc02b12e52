import { expect, it } from "vitest";
import { defaultTree, leavesOf, readTree, removeLeaf, splitLeaf } from "./panes.ts";

it("splits and removes panes", () => {
  const split = splitLeaf(defaultTree, "view1", "row", { kind: "view", id: "view2" });
  expect(leavesOf(split).map(({ id }) => id)).toEqual(["view1", "view2", "plots1"]);
  expect(removeLeaf(split, "view2")).toEqual(defaultTree);
  const only = removeLeaf(defaultTree, "plots1")!;
  expect(only).toEqual({ kind: "view", id: "view1" });
  expect(removeLeaf(only, "view1")).toBeNull();
});

it("reads a tree from outside, and nothing else", () => {
  expect(readTree(JSON.parse(JSON.stringify(defaultTree)))).toEqual(defaultTree);
  const deep = (depth: number): unknown =>
    depth === 0 ? { kind: "view", id: "view1" } : { split: "row", share: 0.5, a: deep(depth - 1), b: deep(depth - 1) };
  const bad = [null, 7, {}, { kind: "view", id: "<b>" }, { split: "row", share: "x", a: {}, b: {} }, deep(12)];
  for (const each of bad) expect(() => readTree(each)).toThrow("not a layout");
});
