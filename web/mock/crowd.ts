// Two hundred bodies on closed paths above a hilly terrain: everything moves in every frame.

import type { Vec3 } from "../src/protocol.ts";
import { shape } from "./pendulum.ts";
import { IDENTITY, type Pull, type World } from "./world.ts";

const COUNT = 200;
const COLUMNS = 20;

/// Height of the terrain in units of its size z, for column and row in 0..1.
export function terrainHeight(u: number, v: number): number {
  return 0.5 + 0.25 * Math.sin(9 * u) * Math.cos(7 * v) + 0.25 * Math.sin(4 * u + 5 * v);
}

export function makeCrowd(): World {
  const bodies: World["scene"]["bodies"] = [
    { name: "world", parent: -1, mass: 0, center: [0, 0, 0], movable: false, robot: null },
  ];
  const shapes: World["scene"]["shapes"] = [
    shape("terrain", 0, [0, 0, -0.8], { kind: "heightmap", heightmap: 0, size: [16, 10, 0.8] }, [0.42, 0.52, 0.36, 1]),
  ];
  const signals: World["scene"]["signals"] = [];
  for (let i = 0; i < COUNT; ++i) {
    const name = `swarm${Math.floor(i / 50)}/unit${String(i).padStart(3, "0")}`;
    bodies.push({ name, parent: 0, mass: 0.5, center: [0, 0, 0], movable: true, robot: name.split("/")[0]! });
    shapes.push(shape(`${name}/body`, i + 1, [0, 0, 0], geometryOf(i), colorOf(i)));
    signals.push({ name: `${name}/height`, unit: "m", role: "measurement" });
  }
  const placeOf = (i: number, time: number): Vec3 => {
    const phase = i * 0.37;
    return [
      0.7 * (i % COLUMNS) - 6.6 + 0.2 * Math.sin(1.3 * time + phase),
      0.8 * Math.floor(i / COLUMNS) - 3.6 + 0.2 * Math.cos(1.1 * time + phase),
      0.5 + 0.25 * Math.sin(2 * time + phase),
    ];
  };
  return {
    scene: {
      name: "crowd",
      description: "Two hundred bodies in motion above a terrain",
      path: "crowd.xml",
      step: 0.002,
      duration: null,
      gravity: [0, 0, -9.81],
      bodies,
      shapes,
      meshes: [{ url: "/assets-of/crowd/0.mesh" }],
      heightmaps: [{ url: "/assets-of/crowd/0.heights" }],
      joints: [],
      sites: [],
      loops: [],
      springs: [],
      devices: [],
      signals,
    },
    paths: [],
    state: [],
    commands: new Map(),
    pulls: new Map<string, Pull>(),
    advance() {},
    poses(time) {
      const poses: number[] = [0, 0, 0, ...IDENTITY];
      for (let i = 0; i < COUNT; ++i) {
        const half = 0.5 * time + i;
        poses.push(...placeOf(i, time), Math.cos(half), 0, Math.sin(half) * 0.6, Math.sin(half) * 0.8);
      }
      return poses;
    },
    contacts(time) {
      return Array.from({ length: 40 }, (_, i) => [...placeOf(5 * i, time), 0, 0, 3 + Math.sin(time + i)]).flat();
    },
    rays: () => [],
    values: (time) => Array.from({ length: COUNT }, (_, i) => placeOf(i, time)[2]),
    setJoint() {},
    attributes: () => [],
    edit: () => false,
  };
}

function geometryOf(i: number): World["scene"]["shapes"][number]["geometry"] {
  switch (i % 5) {
    case 0:
      return { kind: "box", size: [0.3, 0.2 + 0.01 * (i % 7), 0.15] };
    case 1:
      return { kind: "sphere", radius: 0.12 };
    case 2:
      return { kind: "cylinder", radius: 0.1, length: 0.3 };
    case 3:
      return { kind: "capsule", radius: 0.08, length: 0.2 };
    default:
      return { kind: "mesh", mesh: 0 };
  }
}

function colorOf(i: number): [number, number, number, number] {
  const colors = [[0.9, 0.48, 0.13], [0.22, 0.5, 0.74], [0.36, 0.63, 0.42], [0.75, 0.71, 0.3]] as const;
  return [...colors[Math.floor(i / 50)]!, 1];
}

/// An octahedron, as the bytes of a mesh.
export function octahedronBytes(): Buffer {
  const r = 0.18;
  const vertices = [r, 0, 0, -r, 0, 0, 0, r, 0, 0, -r, 0, 0, 0, r, 0, 0, -r];
  const triangles = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  return Buffer.concat([
    Buffer.from(new Uint32Array([vertices.length / 3, triangles.length / 3]).buffer),
    Buffer.from(new Float32Array(vertices).buffer),
    Buffer.from(new Uint32Array(triangles).buffer),
  ]);
}

export function terrainBytes(): Buffer {
  const columns = 65;
  const rows = 41;
  const heights = Array.from({ length: columns * rows }, (_, i) =>
    terrainHeight((i % columns) / (columns - 1), Math.floor(i / columns) / (rows - 1)),
  );
  return Buffer.concat([
    Buffer.from(new Uint32Array([columns, rows]).buffer),
    Buffer.from(new Float32Array(heights).buffer),
  ]);
}
