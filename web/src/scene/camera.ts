// The camera: turned by hand around a target, following a body, or riding on it; and the standard viewpoints.

import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export type CameraMode = "free" | "follow" | "ride";
export type Viewpoint = "home" | "front" | "side" | "top";

const DIRECTIONS: Record<Viewpoint, Vector3> = {
  home: new Vector3(1, -1.25, 0.75).normalize(),
  front: new Vector3(0, -1, 0.0001),
  side: new Vector3(1, 0, 0.0001),
  top: new Vector3(0, -0.0001, 1),
};
const FIELD_OF_VIEW = 40;
/// In radii of the ball that is looked at. What is in the ball seldom fills it, so it may reach a little over the edge.
const FIT_DISTANCE = 0.9 / Math.sin((FIELD_OF_VIEW * Math.PI) / 360);

export class CameraRig {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  mode: CameraMode = "free";
  #center = new Vector3();
  #size = 1;
  #last = new Matrix4();
  #hasLast = false;
  readonly #now = new Matrix4();
  readonly #shift = new Vector3();

  constructor(element: HTMLElement, changed: () => void) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.addEventListener("change", changed);
  }

  /// Takes the extent of the scene: its middle and radius in metres.
  setExtent(center: Vector3, size: number): void {
    this.#center.copy(center);
    this.#size = size;
    this.camera.near = size / 200;
    this.camera.far = size * 200;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = size / 50;
    this.controls.maxDistance = size * 60;
  }

  look(viewpoint: Viewpoint): void {
    this.#lookAt(this.#center, this.#size, DIRECTIONS[viewpoint]);
  }

  /// Brings a ball to the middle of the picture, seen from the side from which it is seen now.
  focus(center: Vector3, radius: number): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.#lookAt(center, radius, direction);
  }

  #lookAt(center: Vector3, radius: number, direction: Vector3): void {
    // In a tall window the width is what limits.
    const distance = (radius * FIT_DISTANCE) / Math.min(1, this.camera.aspect);
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.controls.update();
  }

  /// The body to follow or ride changed: begin where the camera is.
  forgetBody(): void {
    this.#hasLast = false;
  }

  /// Moves along with a body (16 numbers at bodies[at]).
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
        this.#last.elements[12] = this.#shift.x - this.#last.elements[12]!;
        this.#last.elements[13] = this.#shift.y - this.#last.elements[13]!;
        this.#last.elements[14] = this.#shift.z - this.#last.elements[14]!;
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
