// Moves the camera as little as needed to keep what moves inside the image.

import { Box3, Vector3, type PerspectiveCamera } from "three";
import type { Scene } from "../protocol.ts";

/// Fraction of half the image that moving bodies may use.
const MARGIN = 0.9;
/// The target follows along the line of sight when the bodies are farther from it than this share of its distance.
const DEPTH = 0.3;
const PASSES = 4;

/// The bodies to keep in view: those that move of robots, or all that move if there is no robot.
export function trackedBodies({ bodies }: Scene): number[] {
  const movable = bodies.flatMap((body, i) => (body.movable ? [i] : []));
  const ofRobots = movable.filter((i) => bodies[i]!.robot);
  return ofRobots.length > 0 ? ofRobots : movable;
}

interface Bounds {
  low: number;
  high: number;
  depth: number; // of the corner that is nearest to the camera
}

/// Moves camera and target, keeping the viewing direction, until the box is inside the image.
export function keepInView(camera: PerspectiveCamera, target: Vector3, box: Box3): boolean {
  if (box.isEmpty() || !box.min.toArray().concat(box.max.toArray()).every(Number.isFinite)) return false;
  const direction = camera.position.clone().sub(target);
  let distance = direction.length();
  direction.divideScalar(distance);
  const right = new Vector3().crossVectors(camera.up, direction).normalize();
  const up = new Vector3().crossVectors(direction, right);
  const tangent = Math.tan((camera.fov * Math.PI) / 360);
  const [min, max] = [box.min, box.max];
  const corners = Array.from(
    { length: 8 },
    (_, i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z),
  );
  const center = box.getCenter(new Vector3());
  const moved = target.clone();
  /// Along one axis of the image, as a fraction of half of it.
  const boundsOf = (axis: Vector3, aspect: number): Bounds => {
    const bounds = { low: Infinity, high: -Infinity, depth: Infinity };
    for (const corner of corners) {
      const away = corner.clone().sub(moved);
      const depth = Math.max(distance - away.dot(direction), 1e-3 * distance);
      const at = away.dot(axis) / (depth * tangent * aspect);
      bounds.low = Math.min(bounds.low, at);
      bounds.high = Math.max(bounds.high, at);
      bounds.depth = Math.min(bounds.depth, depth);
    }
    return bounds;
  };
  let hasMoved = false;
  for (let pass = 0; pass < PASSES; ++pass) {
    const before = moved.clone().addScaledVector(direction, distance);
    const along = center.clone().sub(moved).dot(direction);
    const excess = Math.abs(along) - DEPTH * distance;
    if (excess > 0) moved.addScaledVector(direction, Math.sign(along) * excess);
    for (const [axis, aspect] of [
      [right, camera.aspect],
      [up, 1],
    ] as const) {
      let bounds = boundsOf(axis, aspect);
      const size = (bounds.high - bounds.low) / 2;
      if (size > MARGIN) {
        distance *= size / MARGIN;
        bounds = boundsOf(axis, aspect);
      }
      const shift = Math.max(0, bounds.high - MARGIN) + Math.min(0, bounds.low + MARGIN);
      moved.addScaledVector(axis, shift * bounds.depth * tangent * aspect);
    }
    if (moved.clone().addScaledVector(direction, distance).distanceTo(before) < 1e-6 * distance) break;
    hasMoved = true;
  }
  if (!hasMoved) return false;
  target.copy(moved);
  camera.position.copy(moved).addScaledVector(direction, distance);
  return true;
}
