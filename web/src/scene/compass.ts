// The axes of the world in the corner of the view, with the scale of the grid. A click on the end of an axis looks along
// it.

import { Vector3 } from "three";
import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatValue } from "../format.ts";
import type { Viewpoint } from "./camera.ts";

const AXES: { name: string; direction: Vector3; color: string; viewpoint: Viewpoint; label: string }[] = [
  { name: "X", direction: new Vector3(1, 0, 0), color: "#d6336c", viewpoint: "side", label: "Look along x (side)" },
  { name: "Y", direction: new Vector3(0, 1, 0), color: "#23793b", viewpoint: "front", label: "Look along y (front)" },
  { name: "Z", direction: new Vector3(0, 0, 1), color: "#1f68c4", viewpoint: "top", label: "Look along z (top)" },
];
const RADIUS = 26; // pixels
const CENTER = 36;

export function makeCompass(app: App): HTMLElement {
  const { view } = app;
  const svg = (tag: string): SVGElement => document.createElementNS("http://www.w3.org/2000/svg", tag);
  const drawing = svg("svg");
  drawing.setAttribute("aria-hidden", "true");
  const ends = AXES.map(({ name, color, viewpoint, label }) => {
    const line = svg("line");
    line.setAttribute("stroke", color);
    drawing.append(line);
    const look = (): void => {
      app.cameraMode.set("free");
      view.look(viewpoint);
    };
    const attributes = { type: "button", title: label, "aria-label": label, style: `background:${color}` };
    return { line, button: h("button", { ...attributes, onclick: look }, name) };
  });
  const scale = h("span", { class: "muted", title: "Distance between two lines of the grid" });
  const element = h("div", { class: "compass" }, ...ends.map(({ button }) => button), scale);
  element.prepend(drawing);
  let drawn = "";
  view.onDrawn(() => {
    const { quaternion } = view.rig.camera;
    setText(scale, view.gridIsShown ? `grid ${formatValue(view.gridCell, "m", 3)}` : "");
    const state = quaternion.toArray().join();
    if (state === drawn) return;
    drawn = state;
    const turn = quaternion.clone().invert();
    ends.forEach(({ line, button }, i) => {
      const end = AXES[i]!.direction.clone().applyQuaternion(turn);
      const [x, y] = [CENTER + RADIUS * end.x, CENTER - RADIUS * end.y];
      const from = String(CENTER);
      Object.entries({ x1: from, y1: from, x2: x, y2: y }).forEach(([key, value]) =>
        line.setAttribute(key, `${value}`),
      );
      button.style.left = `${x}px`;
      button.style.top = `${y}px`;
      button.style.zIndex = String(Math.round(10 + 5 * end.z));
    });
  });
  return element;
}
