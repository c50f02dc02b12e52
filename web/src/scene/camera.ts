// The camera: orbits a target, follows a body, or rides on it; and the standard viewpoints.

import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Extent } from "./extent.ts";

export type CameraMode = "free" | "follow" | "ride";
export type Viewpoint = "home" | "front" | "back" | "side" | "left" | "top" | "bottom";

const DIRECTIONS: Record<Viewpoint, Vector3> = {
  home: new Vector3(1, -1.25, 0.75).normalize(),
  front: new Vector3(0, -1, 0.0001),
  back: new Vector3(0, 1, 0.0001),
  side: new Vector3(1, 0, 0.0001),
  left: new Vector3(-1, 0, 0.0001),
  top: new Vector3(0, -0.0001, 1),
  bottom: new Vector3(0, -0.0001, -1),
};
const FIELD_OF_VIEW = 40;
/// Fraction of the image that the target fills; leaves a margin for motion.
const FILLED = 0.82;

export class CameraRig {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  mode: CameraMode = "free";
  #extent: Extent = { center: new Vector3(), half: new Vector3(1, 1, 1), radius: 1 };
  #last = new Matrix4();
  #hasLast = false;
  readonly #now = new Matrix4();
  readonly #shift = new Vector3();

  constructor(element: HTMLElement, changed: () => void) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.addEventListener("change", changed);
  }

  /// The extent of the whole scene.
  setExtent(extent: Extent): void {
    this.#extent = extent;
    const { radius } = extent;
    this.camera.near = radius / 200;
    this.camera.far = radius * 200;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = radius / 50;
    this.controls.maxDistance = radius * 60;
  }

  get extent(): Extent {
    return this.#extent;
  }

  /// The camera was moved, maybe farther away than the extent at the start allows: stages of a rocket part.
  moved(): void {
    const away = this.camera.position.distanceTo(this.controls.target);
    if (away > this.controls.maxDistance) {
      this.controls.maxDistance = away;
      this.camera.far = Math.max(this.camera.far, 4 * away);
      this.camera.updateProjectionMatrix();
    }
    this.controls.update();
  }

  look(viewpoint: Viewpoint): void {
    this.#lookAt(this.#extent, DIRECTIONS[viewpoint]);
  }

  /// Centres the image on something, keeping the viewing direction.
  focus(extent: Extent): void {
    this.#lookAt(extent, this.camera.position.clone().sub(this.controls.target).normalize());
  }

  #lookAt(extent: Extent, direction: Vector3): void {
    this.controls.target.copy(extent.center);
    this.camera.position.copy(extent.center).addScaledVector(direction, this.#fitDistance(extent, direction));
    this.controls.update();
  }

  /// The smallest distance at which all corners of the box are in the image.
  #fitDistance({ half, radius }: Extent, direction: Vector3): number {
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new Vector3().crossVectors(direction, right);
    const tangent = FILLED * Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    let distance = radius; // minimum, for a box of zero size
    for (let i = 0; i < 8; ++i) {
      const corner = new Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      const across = Math.max(Math.abs(corner.dot(right)) / this.camera.aspect, Math.abs(corner.dot(up)));
      distance = Math.max(distance, corner.dot(direction) + across / tangent);
    }
    return distance;
  }

  /// The body to follow or ride on changed: continue from the current camera pose.
  forgetBody(): void {
    this.#hasLast = false;
  }

  /// Moves the camera with a body (16 numbers at bodies[at]).
  track(bodies: Float32Array, at: number): void {
    if (this.mode === "free") return;
    this.#now.fromArray(bodies, at);
    if (this.#hasLast) {
      if (this.mode === "ride") {
        const turn = this.#last.invert().premultiply(this.#now);
        this.camera.position.applyMatrix4(turn);
        this.controls.target.applyMatrix4(turn);
      } else {
        this.#shift.setFromMatrixPosition(this.#now);
        this.#last.elements[12] = this.#shift.x - this.#last.elements[12];
        this.#last.elements[13] = this.#shift.y - this.#last.elements[13];
        this.#last.elements[14] = this.#shift.z - this.#last.elements[14];
        this.#shift.setFromMatrixPosition(this.#last);
        this.camera.position.add(this.#shift);
        this.controls.target.add(this.#shift);
      }
      this.controls.update();
    }
    this.#last.copy(this.#now);
    this.#hasLast = true;
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }
}
