import { Box3, PerspectiveCamera, Vector3 } from "three";
import { expect, it } from "vitest";
import { keepInView } from "./keep_in_view.ts";

function makeCamera(): { camera: PerspectiveCamera; target: Vector3 } {
  const camera = new PerspectiveCamera(40, 1.6, 0.01, 1000);
  camera.up.set(0, 0, 1);
  camera.position.set(3, -4, 2);
  return { camera, target: new Vector3() };
}

/// The farthest of the corners from the centre of the image, 1 at its border.
function farthest(camera: PerspectiveCamera, target: Vector3, box: Box3): number {
  camera.lookAt(target);
  camera.updateMatrixWorld();
  const at = [box.min, box.max].flatMap((corner) => {
    const p = corner.clone().project(camera);
    return [Math.abs(p.x), Math.abs(p.y)];
  });
  return Math.max(...at);
}

const boxAt = (x: number, y: number, z: number, half = 0.2): Box3 =>
  new Box3(new Vector3(x - half, y - half, z - half), new Vector3(x + half, y + half, z + half));

it("leaves the camera alone while everything is in the image", () => {
  const { camera, target } = makeCamera();
  expect(keepInView(camera, target, boxAt(0.2, 0, 0))).toBe(false);
  expect(camera.position.toArray()).toEqual([3, -4, 2]);
});

it.each([
  [20, 0, 0],
  [0, 30, 0],
  [0, 0, -50],
  [-5, -8, 3],
])("follows to %d %d %d at its direction and about its distance", (x, y, z) => {
  const { camera, target } = makeCamera();
  const before = camera.position.clone();
  expect(keepInView(camera, target, boxAt(x, y, z))).toBe(true);
  const after = camera.position.clone().sub(target);
  expect(after.angleTo(before)).toBeLessThan(1e-6);
  expect(after.length() / before.length()).toBeLessThan(1.5);
  expect(farthest(camera, target, boxAt(x, y, z))).toBeLessThan(1);
});

it("moves away from what grows", () => {
  const { camera, target } = makeCamera();
  keepInView(camera, target, boxAt(0, 0, 0, 5));
  expect(farthest(camera, target, boxAt(0, 0, 0, 5))).toBeLessThan(1);
});

it.each([
  [0, 0, 100],
  [80, 0, 3],
  [0, 60, 5],
])("keeps two bodies in view that are %d %d %d m apart", (x, y, z) => {
  const { camera, target } = makeCamera();
  const both = boxAt(0, 0, 0).union(boxAt(x, y, z));
  keepInView(camera, target, both);
  expect(farthest(camera, target, both)).toBeLessThan(1);
});

it("ignores numbers that are not finite", () => {
  const { camera, target } = makeCamera();
  expect(keepInView(camera, target, boxAt(Number.NaN, 0, 0))).toBe(false);
});
