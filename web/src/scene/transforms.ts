// Affine transforms as 16 numbers, column-major, in place in larger arrays. Nothing here allocates, so that an image of
// many bodies costs arithmetic only.

import type { Vec3 } from "../protocol.ts";

type Numbers = Float32Array | Float64Array;

/// Writes the transform of a pose (position, then quaternion w x y z) that starts at poses[from].
export function writePose(out: Numbers, at: number, poses: ArrayLike<number>, from: number): void {
  const w = poses[from + 3]!;
  const x = poses[from + 4]!;
  const y = poses[from + 5]!;
  const z = poses[from + 6]!;
  out[at] = 1 - 2 * (y * y + z * z);
  out[at + 1] = 2 * (x * y + w * z);
  out[at + 2] = 2 * (x * z - w * y);
  out[at + 3] = 0;
  out[at + 4] = 2 * (x * y - w * z);
  out[at + 5] = 1 - 2 * (x * x + z * z);
  out[at + 6] = 2 * (y * z + w * x);
  out[at + 7] = 0;
  out[at + 8] = 2 * (x * z + w * y);
  out[at + 9] = 2 * (y * z - w * x);
  out[at + 10] = 1 - 2 * (x * x + y * y);
  out[at + 11] = 0;
  out[at + 12] = poses[from]!;
  out[at + 13] = poses[from + 1]!;
  out[at + 14] = poses[from + 2]!;
  out[at + 15] = 1;
}

/// out[at…] = a[aAt…] b[bAt…]; `out` must not overlap the others.
export function multiply(out: Numbers, at: number, a: Numbers, aAt: number, b: Numbers, bAt: number): void {
  for (let column = 0; column < 16; column += 4) {
    const b0 = b[bAt + column]!;
    const b1 = b[bAt + column + 1]!;
    const b2 = b[bAt + column + 2]!;
    const b3 = b[bAt + column + 3]!;
    out[at + column] = a[aAt]! * b0 + a[aAt + 4]! * b1 + a[aAt + 8]! * b2 + a[aAt + 12]! * b3;
    out[at + column + 1] = a[aAt + 1]! * b0 + a[aAt + 5]! * b1 + a[aAt + 9]! * b2 + a[aAt + 13]! * b3;
    out[at + column + 2] = a[aAt + 2]! * b0 + a[aAt + 6]! * b1 + a[aAt + 10]! * b2 + a[aAt + 14]! * b3;
    out[at + column + 3] = b3;
  }
}

/// out[at…] = a[aAt…] applied to a point.
export function writePoint(out: Numbers | number[], at: number, a: Numbers, aAt: number, point: Vec3): void {
  for (let i = 0; i < 3; ++i) {
    out[at + i] = a[aAt + i]! * point[0] + a[aAt + 4 + i]! * point[1] + a[aAt + 8 + i]! * point[2] + a[aAt + 12 + i]!;
  }
}

/// The zero transform, which draws nothing.
export function writeNothing(out: Numbers, at: number): void {
  out.fill(0, at, at + 15);
  out[at + 15] = 1;
}

/// Linear and angular velocity (world, m/s and rad/s) between two poses `dt` apart, into out[0…5].
export function calcVelocity(
  out: number[],
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  from: number,
  dt: number,
): void {
  for (let i = 0; i < 3; ++i) out[i] = (after[from + i]! - before[from + i]!) / dt;
  // The rotation from before to after is q = after * conj(before).
  const [w1, x1, y1, z1] = [after[from + 3]!, after[from + 4]!, after[from + 5]!, after[from + 6]!];
  const [w0, x0, y0, z0] = [before[from + 3]!, -before[from + 4]!, -before[from + 5]!, -before[from + 6]!];
  const w = w1 * w0 - x1 * x0 - y1 * y0 - z1 * z0;
  const x = w1 * x0 + x1 * w0 + y1 * z0 - z1 * y0;
  const y = w1 * y0 - x1 * z0 + y1 * w0 + z1 * x0;
  const z = w1 * z0 + x1 * y0 - y1 * x0 + z1 * w0;
  const sine = Math.hypot(x, y, z);
  // q and -q are the same rotation; take the shorter one.
  const angle = 2 * Math.atan2(sine, Math.abs(w)) * Math.sign(w || 1);
  const scale = sine > 0 ? angle / (sine * dt) : 0;
  out[3] = x * scale;
  out[4] = y * scale;
  out[5] = z * scale;
}
