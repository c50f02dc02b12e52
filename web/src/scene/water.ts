// The surface of the water, from below and above.

import { DoubleSide, Mesh, MeshStandardMaterial, PlaneGeometry } from "three";

const COLOR = 0x2a7fb8;
const OPACITY = 0.38;
/// In scene radii, as the ground.
const RADII = 150;

export function makeWater(level: number, size: number): Mesh<PlaneGeometry, MeshStandardMaterial> {
  const material = new MeshStandardMaterial({
    color: COLOR,
    opacity: OPACITY,
    transparent: true,
    depthWrite: false,
    roughness: 0.25,
    side: DoubleSide,
  });
  const mesh = new Mesh(new PlaneGeometry(2 * RADII * size, 2 * RADII * size), material);
  mesh.position.z = level;
  mesh.renderOrder = 1;
  return mesh;
}
