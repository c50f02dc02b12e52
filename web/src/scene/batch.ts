// Instanced drawing: many copies of one geometry, each fixed to a body, in one draw call.

import {
  DynamicDrawUsage,
  InstancedMesh,
  SRGBColorSpace,
  Color,
  type BufferGeometry,
  type Material,
  type Matrix4,
} from "three";
import { multiply, writeNothing } from "./transforms.ts";

/// One copy: `local` transforms the geometry into the body frame, including scale.
export interface Instance {
  body: number;
  local: Matrix4;
  color: readonly number[]; // red, green, blue, 0…1, sRGB
  /// Index of the shape (or other item of this batch) in the scene.
  item: number;
}

const scratch = new Color();

export class Batch {
  readonly mesh: InstancedMesh;
  readonly instances: readonly Instance[];
  readonly #locals: Float32Array;
  readonly #isShown: boolean[];

  constructor(geometry: BufferGeometry, material: Material, instances: readonly Instance[]) {
    this.instances = instances;
    this.#locals = new Float32Array(instances.length * 16);
    this.#isShown = instances.map(() => true);
    this.mesh = new InstancedMesh(geometry, material, instances.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    // No frustum culling: computing the bounds for every image costs more than drawing what is out of view.
    this.mesh.frustumCulled = false;
    instances.forEach((instance, i) => {
      instance.local.toArray(this.#locals, i * 16);
      this.setColor(i, instance.color, null, 0);
    });
  }

  setColor(i: number, color: readonly number[], tint: Color | null, amount: number): void {
    scratch.setRGB(color[0]!, color[1]!, color[2]!, SRGBColorSpace);
    if (tint) scratch.lerp(tint, amount);
    this.mesh.setColorAt(i, scratch);
    this.mesh.instanceColor!.needsUpdate = true;
  }

  show(i: number, isShown: boolean): void {
    this.#isShown[i] = isShown;
  }

  /// Updates all transforms; `bodies` holds 16 numbers per body.
  update(bodies: Float32Array): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    for (let i = 0; i < this.instances.length; ++i) {
      if (this.#isShown[i]) multiply(out, i * 16, bodies, this.instances[i]!.body * 16, this.#locals, i * 16);
      else writeNothing(out, i * 16);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null; // otherwise picking uses the old bounds
  }

  dispose(): void {
    this.mesh.dispose();
    this.mesh.geometry.dispose();
    (this.mesh.material as Material).dispose();
  }
}
