import { expect, it } from "vitest";
import { octahedronBytes, terrainBytes } from "../../mock/crowd.ts";
import { readHeightmap, readMesh } from "./assets.ts";

function bytes(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}

it("reads a mesh whose normals keep the creases of its faces", () => {
  const geometry = readMesh(bytes(octahedronBytes()), "octahedron");
  expect(geometry.getAttribute("position").count).toBe(8 * 3);
  const normal = geometry.getAttribute("normal");
  for (let i = 0; i < normal.count; ++i) expect(Math.abs(normal.getX(i))).toBeCloseTo(1 / Math.sqrt(3), 5);
});

it("puts the first row of a heightmap at the largest y, facing up", () => {
  const geometry = readHeightmap(bytes(terrainBytes()), [16, 10, 2], "terrain");
  const position = geometry.getAttribute("position");
  expect([position.getX(0), position.getY(0)]).toEqual([-8, 5]);
  expect(geometry.getAttribute("normal").getZ(100)).toBeGreaterThan(0);
});

it("refuses meshes and heightmaps that are cut or that point outside", () => {
  const mesh = bytes(octahedronBytes());
  expect(() => readMesh(mesh.slice(0, 4), "m")).toThrow("too few");
  expect(() => readMesh(mesh.slice(0, -4), "m")).toThrow("m: has 172 bytes, not 176");
  new DataView(mesh).setUint32(mesh.byteLength - 4, 6, true);
  expect(() => readMesh(mesh, "m")).toThrow("m: a triangle names vertex 6 of 6");
  expect(() => readHeightmap(bytes(terrainBytes()).slice(0, 100), [1, 1, 1], "h")).toThrow("h: has 100 bytes");
  expect(() => readHeightmap(new ArrayBuffer(8), [1, 1, 1], "h")).toThrow("make no surface");
});
