import { expect, it } from "vitest";
import { readHeightmap, readMesh } from "./assets.ts";

/// Two counts, then numbers of one type, then of another.
function bytes(counts: [number, number], floats: number[], indices: number[] = []): ArrayBuffer {
  const parts = [new Uint32Array(counts), new Float32Array(floats), new Uint32Array(indices)];
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part.buffer)))).buffer;
}

function octahedron(): ArrayBuffer {
  const vertices = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1];
  const triangles = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  return bytes([6, 8], vertices, triangles);
}

function terrain(): ArrayBuffer {
  return bytes(
    [3, 4],
    Array.from({ length: 12 }, (_, i) => (i % 3) / 10),
  );
}

it("keeps sharp edges between the faces of a mesh", () => {
  const geometry = readMesh(octahedron(), "octahedron");
  expect(geometry.getAttribute("position").count).toBe(8 * 3);
  const normal = geometry.getAttribute("normal");
  for (let i = 0; i < normal.count; ++i) expect(Math.abs(normal.getX(i))).toBeCloseTo(1 / Math.sqrt(3), 5);
});

it("puts the first row of a heightmap at the largest y, with normals up", () => {
  const geometry = readHeightmap(terrain(), [16, 10, 2], "terrain");
  const position = geometry.getAttribute("position");
  expect([position.getX(0), position.getY(0)]).toEqual([-8, 5]);
  expect(geometry.getAttribute("normal").getZ(4)).toBeGreaterThan(0);
});

it("shades steep terrain darker than flat terrain", () => {
  // A flat part, then a slope of 45°.
  const heights = [0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2, 3];
  const geometry = readHeightmap(bytes([6, 2], heights), [5, 1, 1], "slope");
  const color = geometry.getAttribute("color");
  expect(color.getX(0)).toBe(1);
  expect(color.getX(4)).toBeLessThan(0.6);
});

it("rejects truncated meshes and heightmaps and out-of-range indices", () => {
  const mesh = octahedron();
  expect(() => readMesh(mesh.slice(0, 4), "m")).toThrow("m: 4 bytes; the counts alone take 8");
  expect(() => readMesh(mesh.slice(0, -4), "m")).toThrow("m: has 172 bytes, not 176");
  new DataView(mesh).setUint32(mesh.byteLength - 4, 6, true);
  expect(() => readMesh(mesh, "m")).toThrow("m: a triangle refers to vertex 6, but there are only 6");
  expect(() => readHeightmap(terrain().slice(0, 20), [1, 1, 1], "h")).toThrow("h: has 20 bytes");
  expect(() => readHeightmap(new ArrayBuffer(8), [1, 1, 1], "h")).toThrow("at least 2 × 2 are needed");
});
