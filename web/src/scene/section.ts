// The section plane: cuts away what is on one side of a plane across an axis of the world.

import { Plane, Vector3 } from "three";
import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatValue } from "../format.ts";

const NORMALS: Record<string, Vector3> = {
  x: new Vector3(-1, 0, 0),
  y: new Vector3(0, 1, 0), // looking from the front, along y, the near half is cut away
  z: new Vector3(0, 0, -1),
};

/// The plane across an axis at a fraction of the extent, 0…1: what is on its far side stays.
export function sectionPlane(axis: string, share: number, center: Vector3, half: Vector3): Plane {
  const normal = NORMALS[axis]!;
  const index = "xyz".indexOf(axis);
  const at = center.getComponent(index) + (2 * share - 1) * half.getComponent(index);
  return new Plane(normal.clone(), -normal.getComponent(index) * at);
}

/// Controls of the section, for a menu of the view.
export function sectionControls(app: App): Node[] {
  const { view } = app;
  const value = h("output", { class: "value" });
  const share = h("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 0.005,
    value: 0.5,
    "aria-label": "Section position",
  });
  const axis = h(
    "select",
    { "aria-label": "Section plane" },
    ...[
      ["", "No section"],
      ["x", "Across x"],
      ["y", "Across y"],
      ["z", "Across z"],
    ].map(([key, title]) => h("option", { value: key }, title)),
  );
  axis.value = view.section.axis;
  share.valueAsNumber = view.section.share;
  const apply = (): void => {
    view.setSection({ axis: axis.value, share: share.valueAsNumber });
    share.disabled = axis.value === "";
    const index = "xyz".indexOf(axis.value);
    const { center, half } = view.rig.extent;
    const at =
      index < 0 ? Number.NaN : center.getComponent(index) + (2 * view.section.share - 1) * half.getComponent(index);
    setText(value, index < 0 ? "" : formatValue(at, "m", 3));
  };
  axis.addEventListener("change", apply);
  share.addEventListener("input", apply);
  apply();
  return [h("div", { class: "row" }, axis, value), share];
}
