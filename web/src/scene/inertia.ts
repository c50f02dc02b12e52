// Boxes of uniform density with the mass and the inertia of the bodies: what the physics sees of them.

import { BoxGeometry, Matrix3, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import type { Body, Scene } from "../protocol.ts";
import { Batch, type Instance } from "./batch.ts";

const COLOR = [0.95, 0.55, 0.1];
const SWEEPS = 12;

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix xx, yy, zz, xy, xz, yz, by Jacobi rotations.
export function principalAxes(inertia: readonly number[]): { moments: Vector3; axes: Matrix3 } {
  const [xx, yy, zz, xy, xz, yz] = inertia as [number, number, number, number, number, number];
  const a = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < SWEEPS; ++sweep) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      if (Math.abs(a[p]![q]!) < 1e-15 * (Math.abs(a[p]![p]!) + Math.abs(a[q]![q]!))) continue;
      const angle = 0.5 * Math.atan2(2 * a[p]![q]!, a[q]![q]! - a[p]![p]!);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let k = 0; k < 3; ++k) {
        const [kp, kq] = [a[k]![p]!, a[k]![q]!];
        a[k]![p] = c * kp - s * kq;
        a[k]![q] = s * kp + c * kq;
      }
      for (let k = 0; k < 3; ++k) {
        const [pk, qk] = [a[p]![k]!, a[q]![k]!];
        a[p]![k] = c * pk - s * qk;
        a[q]![k] = s * pk + c * qk;
        const [vp, vq] = [v[k]![p]!, v[k]![q]!];
        v[k]![p] = c * vp - s * vq;
        v[k]![q] = s * vp + c * vq;
      }
    }
  }
  const axes = new Matrix3().set(...([...v[0]!, ...v[1]!, ...v[2]!] as Parameters<Matrix3["set"]>));
  return { moments: new Vector3(a[0]![0], a[1]![1], a[2]![2]), axes };
}

/// Edges of the uniform box with these principal moments: I_x = m (y² + z²) / 12, and so on.
export function boxSize(mass: number, { x, y, z }: Vector3): Vector3 {
  const edge = (sum: number): number => Math.sqrt(Math.max(0, (6 / mass) * sum));
  return new Vector3(edge(y + z - x), edge(x + z - y), edge(x + y - z));
}

function transformOf(body: Body): Matrix4 {
  const { moments, axes } = principalAxes(body.inertia!);
  // The axes may be left-handed; a rotation is right-handed.
  if (axes.determinant() < 0) axes.multiplyScalar(-1);
  const turn = new Quaternion().setFromRotationMatrix(new Matrix4().setFromMatrix3(axes));
  return new Matrix4().compose(new Vector3(...body.center), turn, boxSize(body.mass, moments));
}

export function makeInertiaBoxes(scene: Scene): Batch {
  const instances = scene.bodies.flatMap((body, index): Instance[] =>
    index > 0 && body.mass > 0 && body.inertia?.length === 6
      ? [{ body: index, item: index, color: COLOR, local: transformOf(body) }]
      : [],
  );
  const material = new MeshBasicMaterial({ transparent: true, opacity: 0.35, depthTest: false, fog: false });
  return new Batch(new BoxGeometry(1, 1, 1), material, instances);
}
