// How large a scene is, and where: what the camera, the light and the overlays are sized by.

import { Box3, Matrix4, Vector3 } from "three";
import { POSE_FLOATS } from "../frame.ts";
import type { Geometry, Scene, Shape, Vec3 } from "../protocol.ts";
import { halfSizeOf } from "./shapes.ts";
import { writePose } from "./transforms.ts";

const SMALLEST_RADIUS = 0.05; // metres

export interface Extent {
  center: Vector3;
  radius: number;
}

type MeshSizes = ReadonlyMap<number, Vec3>;

function sizeOf(geometry: Geometry, meshes: MeshSizes, isAlone: boolean): Vec3 | null {
  if (geometry.kind === "mesh") return meshes.get(geometry.mesh) ?? null;
  if (geometry.kind === "heightmap" && isAlone) return [geometry.size[0] / 2, geometry.size[1] / 2, 0];
  return halfSizeOf(geometry);
}

/// The box around a shape, grown into `box`. `pose` is that of its body, 16 numbers in columns.
function include(box: Box3, shape: Shape, half: Vec3, body: Matrix4): void {
  const pose = new Float64Array(16);
  writePose(pose, 0, [...shape.position, ...shape.orientation], 0);
  const own = new Box3(new Vector3(...half).negate(), new Vector3(...half));
  box.union(own.applyMatrix4(body.clone().multiply(new Matrix4().fromArray(pose))));
}

/// The ball around all that has an end and is seen; around a single body if one is named.
export function calcExtent(scene: Scene, poses: Float32Array, meshes: MeshSizes, only: number | null = null): Extent {
  const box = new Box3();
  const pose = new Float64Array(16);
  const body = new Matrix4();
  const isAlone = scene.bodies.length < 2 || only === 0;
  for (const shape of scene.shapes) {
    if (only !== null && shape.body !== only) continue;
    const half = shape.visible ? sizeOf(shape.geometry, meshes, isAlone) : null;
    if (!half) continue;
    writePose(pose, 0, poses, shape.body * POSE_FLOATS);
    include(box, shape, half, body.fromArray(pose));
  }
  for (let i = 1; i < scene.bodies.length; ++i) {
    if (only === null || only === i) box.expandByPoint(new Vector3().fromArray(poses, i * POSE_FLOATS));
  }
  if (box.isEmpty()) return { center: new Vector3(), radius: 1 };
  const center = box.getCenter(new Vector3());
  return { center, radius: Math.max(SMALLEST_RADIUS, box.getSize(new Vector3()).length() / 2) };
}
