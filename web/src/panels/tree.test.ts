// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenScene } from "../golden_messages_testing.ts";
import { makeTestApp, openGolden, textsOf } from "./panel_testing.ts";
import { buildTree, filterTree, makeTree, shortName } from "./tree.ts";

it("has links below their parents, with joints and devices", () => {
  const [robot] = buildTree(goldenScene);
  expect(robot!.label).toBe("arm");
  const [stand, sensor, connection] = robot!.children;
  expect(stand!.children.map(({ label }) => label)).toEqual(["upper"]);
  expect(stand!.children[0]!.children.map(({ label }) => label)).toEqual(["shoulder"]);
  expect([sensor!.label, connection!.label]).toEqual(["shoulder · joint_state", "plc · wire"]);
});

it("keeps the branch of a name that is searched for", () => {
  const [robot] = filterTree(buildTree(goldenScene), "upper");
  expect(robot!.children.map(({ label }) => label)).toEqual(["stand"]);
  expect(filterTree(buildTree(goldenScene), "elsewhere")).toEqual([]);
});

it("leaves the name of another robot as it is", () => {
  expect(shortName("arm/elbow", "arm")).toBe("elbow");
  expect(shortName("army/elbow", "arm")).toBe("army/elbow");
});

it("selects what is clicked", () => {
  const app = makeTestApp();
  const tree = makeTree(app);
  openGolden(app);
  expect(textsOf(tree, ".tree-row").join(" ")).toContain("shoulder");
  const row = [...tree.querySelectorAll<HTMLElement>(".tree-row")].find((each) => each.textContent === "shoulder")!;
  row.click();
  expect(app.store.selection.value).toEqual({ kind: "joint", index: 0 });
});
