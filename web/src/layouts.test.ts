import { expect, it } from "vitest";
import { fromFragment, readLayout, toFragment, type Layout } from "./layouts.ts";
import { defaultTree } from "./panes.ts";
import { defaultSettings } from "./scene/settings.ts";

const layout: Layout = {
  version: 1,
  left: false,
  right: true,
  panes: defaultTree,
  settings: { ...defaultSettings, wireframe: true },
  plots: { plots1: [{ kind: "xy", signals: ["a/x", "=derivative(a/ä)"] }] },
  cameras: { view1: { position: [1, 2, 3], target: [0, 0, 0.5] } },
};

it("survives a file and a link", () => {
  expect(readLayout(JSON.stringify(layout))).toEqual(layout);
  expect(fromFragment(toFragment(layout))).toEqual(layout);
  expect(fromFragment("#other")).toBeNull();
});

it("takes only what belongs to a layout", () => {
  const odd = {
    ...layout,
    settings: { wireframe: "yes", unknown: true },
    plots: { plots1: [{ kind: "evil", signals: [] }, null], other: [] },
    cameras: { view1: { position: [1, Number.NaN, 3], target: [0, 0, 0] } },
  };
  const read = readLayout(JSON.stringify(odd));
  expect(read.settings).toEqual(defaultSettings);
  expect(read.plots).toEqual({ plots1: [] });
  expect(read.cameras).toEqual({});
  for (const text of ["null", "{}", '{"version":2}', '{"version":1,"panes":[]}'])
    expect(() => readLayout(text)).toThrow("not a layout");
});
