// The camera by keyboard, while the view has the focus: arrows orbit, with Shift they pan, Page up and down zoom.

import { Spherical, Vector3 } from "three";
import type { App } from "../app.ts";

const TURN = Math.PI / 24;
const ZOOM = 1.15;
/// Of the distance to the target.
const PAN = 0.05;

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export function connectKeyboard({ view }: App): void {
  const { camera, controls } = view.rig;
  view.canvas.tabIndex = 0;
  view.canvas.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    const zoom = event.key === "PageUp" ? 1 / ZOOM : event.key === "PageDown" ? ZOOM : 1;
    if ((!arrow && zoom === 1) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const offset = camera.position.clone().sub(controls.target);
    if (arrow && event.shiftKey) {
      const right = new Vector3().setFromMatrixColumn(camera.matrix, 0).multiplyScalar(arrow[0]);
      const up = new Vector3().setFromMatrixColumn(camera.matrix, 1).multiplyScalar(arrow[1]);
      controls.target.addScaledVector(right.add(up), PAN * offset.length());
    } else if (arrow) {
      // Spherical coordinates are about y; ours are about z.
      const angles = new Spherical().setFromCartesianCoords(offset.x, offset.z, -offset.y);
      angles.theta += arrow[0] * TURN;
      angles.phi -= arrow[1] * TURN;
      const turned = new Vector3().setFromSpherical(angles.makeSafe());
      offset.set(turned.x, -turned.z, turned.y);
    }
    camera.position.copy(controls.target).addScaledVector(offset, zoom);
    controls.dispatchEvent({ type: "start" }); // the user has taken the camera
    controls.update();
    view.invalidate();
  });
}
