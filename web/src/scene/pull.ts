// Pulling a body with the mouse: Alt- or Ctrl-drag, or any drag with the pull tool. The pointer moves in the plane through the
// grabbed point, facing the camera.

import { Matrix4, Plane, Vector3 } from "three";
import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatValue } from "../format.ts";
import { Latest } from "../latest.ts";
import type { Vec3 } from "../protocol.ts";
import type { View } from "./view.ts";

interface Held {
  body: number;
  name: string;
  pointer: number;
  point: Vector3; // in the body
  plane: Plane;
  target: Vector3; // world
}

export class PullTool {
  readonly #app: App;
  readonly #view: View;
  readonly #targets: Latest<{ body: string; point: Vec3; target: Vec3 | null }>;
  /// The force of the spring, beside its end.
  readonly #label = h("div", { class: "hover-name pull-force", "aria-hidden": "true", hidden: true });
  #held: Held | null = null;
  /// N/m; 0 until the server has answered.
  #stiffness = 0;

  constructor(app: App) {
    this.#app = app;
    this.#view = app.view;
    this.#targets = new Latest(async (fields) => {
      const answer = app.request("pull", fields);
      if (await app.run(answer)) this.#stiffness = (await answer).stiffness ?? 0;
      this.drawLine();
    });
    const element = app.view.canvas.parentElement!;
    element.append(this.#label);
    // In the capture phase, so that the camera does not orbit as well.
    element.addEventListener("pointerdown", (event) => this.#take(event), { capture: true });
    element.addEventListener("pointermove", (event) => this.#move(event), { capture: true });
    for (const type of ["pointerup", "pointercancel"] as const) {
      element.addEventListener(type, (event) => this.#release(event), { capture: true });
    }
  }

  #take(event: PointerEvent): void {
    const { store, isPulling } = this.#app;
    const isMeant = event.altKey || event.ctrlKey || isPulling.value;
    if (event.button !== 0 || !isMeant || store.isReplay.value) return;
    const hit = this.#view.pick(event.clientX, event.clientY);
    const body = hit && store.scene.value?.bodies[hit.body];
    if (!hit || !body?.movable) return;
    event.stopPropagation();
    event.preventDefault();
    this.#view.canvas.setPointerCapture(event.pointerId);
    const matrix = new Matrix4().fromArray(this.#view.bodyMatrix(hit.body)!);
    const facing = this.#view.rig.camera.getWorldDirection(new Vector3()).negate();
    this.#held = {
      body: hit.body,
      name: body.name,
      pointer: event.pointerId,
      point: hit.point.clone().applyMatrix4(matrix.invert()),
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      target: hit.point.clone(),
    };
    this.#send();
  }

  #move(event: PointerEvent): void {
    if (event.pointerId !== this.#held?.pointer) return;
    event.stopPropagation();
    const ray = this.#view.setRay(event.clientX, event.clientY).ray;
    if (ray.intersectPlane(this.#held.plane, this.#held.target)) this.#send();
  }

  #release(event: PointerEvent): void {
    if (event.pointerId !== this.#held?.pointer) return;
    event.stopPropagation();
    this.#targets.set({ body: this.#held.name, point: this.#held.point.toArray(), target: null });
    this.#held = null;
    this.#label.hidden = true;
    this.#view.setPullLine(null);
  }

  #send(): void {
    const { name, point, target } = this.#held!;
    this.#targets.set({ body: name, point: point.toArray(), target: target.toArray() });
    this.drawLine();
  }

  /// The line follows the body even while the pointer is still.
  drawLine(): void {
    const matrix = this.#held && this.#view.bodyMatrix(this.#held.body);
    if (!this.#held || !matrix) return;
    const from = this.#held.point.clone().applyMatrix4(new Matrix4().fromArray(matrix));
    this.#view.setPullLine([...from.toArray(), ...this.#held.target.toArray()]);
    this.#label.hidden = this.#stiffness === 0;
    const force = this.#stiffness * from.distanceTo(this.#held.target);
    setText(this.#label, formatValue(force, "N", 3));
    this.#label.dataset.force = String(force);
    const box = this.#view.canvas.getBoundingClientRect();
    const at = this.#view.project(this.#held.target);
    this.#label.style.left = `${at.x - box.left + 14}px`;
    this.#label.style.top = `${at.y - box.top - 10}px`;
  }
}
