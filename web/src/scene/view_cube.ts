// The view cube: turns with the camera; a click on a face looks at the scene from that side.

import { Matrix4, Quaternion } from "three";
import type { App } from "../app.ts";
import { h } from "../dom.ts";
import type { Viewpoint } from "./camera.ts";

const HALF = 24; // pixels

/// Each face: what it is called, where it is looked from, and the axes of its text in the cube (to the right, down, towards
/// the viewer). In CSS, x is right, y down and z towards the viewer; the cube's x, -y and z are those of the world.
const FACES: { title: string; viewpoint: Viewpoint; axes: number[] }[] = [
  { title: "Front", viewpoint: "front", axes: [1, 0, 0, 0, 0, -1, 0, 1, 0] },
  { title: "Back", viewpoint: "back", axes: [-1, 0, 0, 0, 0, -1, 0, -1, 0] },
  { title: "Right", viewpoint: "side", axes: [0, -1, 0, 0, 0, -1, 1, 0, 0] },
  { title: "Left", viewpoint: "left", axes: [0, 1, 0, 0, 0, -1, -1, 0, 0] },
  { title: "Top", viewpoint: "top", axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] },
  { title: "Bottom", viewpoint: "bottom", axes: [1, 0, 0, 0, -1, 0, 0, 0, -1] },
];

function matrix3d([a, b, c, d, e, f, g, h, i]: readonly number[]): string {
  return `matrix3d(${[a, b, c, 0, d, e, f, 0, g, h, i, 0, 0, 0, 0, 1].join(",")})`;
}

/// The CSS transform of the cube for the orientation of a camera.
export function cubeTransform(camera: Quaternion): string {
  const m = new Matrix4().makeRotationFromQuaternion(camera.clone().invert()).elements;
  // y changes its sign on both sides.
  const flipped = m.map((value, i) => ((i % 4 === 1) !== (Math.floor(i / 4) === 1) ? -value : value));
  return `matrix3d(${flipped.map((value) => value.toFixed(5)).join(",")})`;
}

export function makeViewCube(app: App): HTMLElement {
  const { view } = app;
  const cube = h(
    "div",
    { class: "cube" },
    ...FACES.map(({ title, viewpoint, axes }) => {
      const label = `Look from the ${title.toLowerCase()}`;
      const look = (): void => {
        app.cameraMode.set("free");
        view.look(viewpoint);
      };
      const style = `transform: ${matrix3d(axes)} translateZ(${HALF}px)`;
      return h("button", { type: "button", title: label, "aria-label": label, style, onclick: look }, title);
    }),
  );
  let drawn = "";
  view.onDrawn(() => {
    const transform = cubeTransform(view.rig.camera.quaternion);
    if (transform === drawn) return;
    drawn = transform;
    cube.style.transform = transform;
  });
  return h("div", { class: "view-cube", role: "group", "aria-label": "View cube" }, cube);
}
