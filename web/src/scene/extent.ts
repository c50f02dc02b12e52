// Bounds of the scene, which set the scale of camera, light and overlays.

import { Box3, Matrix4, Vector3 } from "three";
import { POSE_FLOATS } from "../state_message.ts";
import type { Geometry, Scene, Shape, Vec3 } from "../protocol.ts";
import { halfSizeOf } from "./shapes.ts";
import { writePose } from "./transforms.ts";

const SMALLEST_RADIUS = 0.05; // metres

/// A bounding box and the bounding sphere of that box; metres.
export interface Extent {
  center: Vector3;
  half: Vector3;
  radius: number;
}

type MeshSizes = ReadonlyMap<number, Vec3>;

function sizeOf(geometry: Geometry, meshes: MeshSizes): Vec3 | null {
  return geometry.kind === "mesh" ? (meshes.get(geometry.mesh) ?? null) : halfSizeOf(geometry);
}

/// Half the diagonal of the largest terrain; 0 if there is none.
function terrainRadius(scene: Scene): number {
  const radii = scene.shapes.map(({ geometry }) =>
    geometry.kind === "heightmap" ? Math.hypot(geometry.size[0], geometry.size[1]) / 2 : 0,
  );
  return Math.max(0, ...radii);
}

/// Expands `box` by the bounds of a shape. `pose` is the body's transform, 16 numbers, column-major.
function include(box: Box3, shape: Shape, half: Vec3, body: Matrix4): void {
  const pose = new Float64Array(16);
  writePose(pose, 0, [...shape.position, ...shape.orientation], 0);
  const own = new Box3(new Vector3(...half).negate(), new Vector3(...half));
  box.union(own.applyMatrix4(body.clone().multiply(new Matrix4().fromArray(pose))));
}

/// Bounds of all finite visible shapes, or of a single body. Terrain counts only in part: some of it should be visible
/// around the objects, but the objects must not become tiny on it.
export function calcExtent(scene: Scene, poses: Float32Array, meshes: MeshSizes, only: number | null = null): Extent {
  const box = new Box3();
  const pose = new Float64Array(16);
  const body = new Matrix4();
  for (const shape of scene.shapes) {
    if (only !== null && shape.body !== only) continue;
    const half = shape.visible ? sizeOf(shape.geometry, meshes) : null;
    if (!half) continue;
    writePose(pose, 0, poses, shape.body * POSE_FLOATS);
    include(box, shape, half, body.fromArray(pose));
  }
  for (let i = 1; i < scene.bodies.length; ++i) {
    if (only === null || only === i) box.expandByPoint(new Vector3().fromArray(poses, i * POSE_FLOATS));
  }
  const terrain = only === null || only === 0 ? terrainRadius(scene) : 0;
  if (box.isEmpty()) return extentOf(new Vector3(), new Vector3(1, 1, 0).multiplyScalar((terrain || 1) * Math.SQRT1_2));
  const { center, half, radius } = extentOf(
    box.getCenter(new Vector3()),
    box.getSize(new Vector3()).multiplyScalar(0.5),
  );
  const around = Math.SQRT1_2 * Math.sqrt(radius * terrain);
  return extentOf(center, half.max(new Vector3(around, around, 0)));
}

function extentOf(center: Vector3, half: Vector3): Extent {
  return { center, half, radius: Math.max(SMALLEST_RADIUS, half.length()) };
}

/// Height of the lowest ground plane or terrain base; without any, below everything, so that no robot is cut.
export function groundHeight(scene: Scene, { center, half }: Extent): number {
  const heights = scene.shapes
    .filter(({ body, geometry }) => body === 0 && (geometry.kind === "plane" || geometry.kind === "heightmap"))
    .map(({ position }) => position[2]);
  return heights.length > 0 ? Math.min(...heights) : Math.min(0, center.z - half.z);
}
