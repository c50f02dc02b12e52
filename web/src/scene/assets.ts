// Decodes meshes and heightmaps from the server. The bytes are untrusted: counts and indices are checked.

import { BufferAttribute, BufferGeometry } from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Scene, Vec3 } from "../protocol.ts";

const CREASE_ANGLE = Math.PI / 6;
/// Creased normals take about a second per million triangles; larger meshes get smooth normals.
const MAX_CREASED_TRIANGLES = 200_000;

const HEIGHT_BANDS = 12;

/// Geometries of the present scene by URL. A URL names its content, so an edit that changes something else shows these
/// again, without another request.
const loaded = new Map<string, Promise<BufferGeometry>>();

function loadOnce(key: string, load: () => Promise<BufferGeometry>): Promise<BufferGeometry> {
  const known = loaded.get(key);
  if (known) return known;
  const loading = load();
  loaded.set(key, loading);
  loading.catch(() => loaded.delete(key));
  return loading;
}

/// Forgets the geometries of other scenes.
export function keepOnly(scene: Scene): void {
  const urls = [...scene.meshes, ...scene.heightmaps].map(({ url }) => url);
  for (const key of loaded.keys()) if (!urls.includes(key.split(" ")[0]!)) loaded.delete(key);
}

let fetchBytes = async (url: string): Promise<ArrayBuffer> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
  return response.arrayBuffer();
};

/// Takes meshes and heightmaps from somewhere else than the server.
export function takeAssetsFrom(source: (url: string) => Promise<ArrayBuffer>): void {
  fetchBytes = source;
}

export function loadMesh(url: string): Promise<BufferGeometry> {
  return loadOnce(url, async () => readMesh(await fetchBytes(url), url));
}

export function loadHeightmap(url: string, size: Vec3): Promise<BufferGeometry> {
  return loadOnce(`${url} ${size.join(" ")}`, async () => readHeightmap(await fetchBytes(url), size, url));
}

export function readMesh(bytes: ArrayBuffer, name: string): BufferGeometry {
  const [vertexCount, triangleCount] = readCounts(bytes, name);
  const expected = 8 + 12 * (vertexCount + triangleCount);
  if (bytes.byteLength !== expected) throw new Error(`${name}: has ${bytes.byteLength} bytes, not ${expected}`);
  const vertices = new Float32Array(bytes, 8, vertexCount * 3);
  const indices = new Uint32Array(bytes, 8 + 12 * vertexCount, triangleCount * 3);
  for (const index of indices) {
    if (index >= vertexCount)
      throw new Error(`${name}: a triangle refers to vertex ${index}, but there are only ${vertexCount}`);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  if (triangleCount <= MAX_CREASED_TRIANGLES) return toCreasedNormals(geometry, CREASE_ANGLE);
  geometry.computeVertexNormals();
  return geometry;
}

/// The first row is at the largest y; the origin is the centre at height zero.
export function readHeightmap(bytes: ArrayBuffer, size: Vec3, name: string): BufferGeometry {
  const [columns, rows] = readCounts(bytes, name);
  const expected = 8 + 4 * columns * rows;
  if (columns < 2 || rows < 2) throw new Error(`${name}: ${columns} × ${rows} heights; at least 2 × 2 are needed`);
  if (bytes.byteLength !== expected) throw new Error(`${name}: has ${bytes.byteLength} bytes, not ${expected}`);
  const heights = new Float32Array(bytes, 8, columns * rows);
  const vertices = new Float32Array(columns * rows * 3);
  for (let row = 0, i = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column, ++i) {
      vertices[3 * i] = (column / (columns - 1) - 0.5) * size[0];
      vertices[3 * i + 1] = (0.5 - row / (rows - 1)) * size[1];
      vertices[3 * i + 2] = heights[i]! * size[2];
    }
  }
  const indices = new Uint32Array((columns - 1) * (rows - 1) * 6);
  for (let row = 0, at = 0; row < rows - 1; ++row) {
    for (let column = 0; column < columns - 1; ++column, at += 6) {
      const i = row * columns + column;
      indices.set([i, i + columns, i + 1, i + 1, i + columns, i + columns + 1], at);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  geometry.computeVertexNormals();
  shadeSlopes(geometry);
  return geometry;
}

/// Steep terrain is darker, and heights alternate slightly in bands, so that its form is visible from any side.
function shadeSlopes(geometry: BufferGeometry): void {
  const position = geometry.getAttribute("position");
  const normal = geometry.getAttribute("normal");
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox!;
  const band = (max.z - min.z) / HEIGHT_BANDS || 1;
  const colors = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; ++i) {
    const steepness = 1 - Math.abs(normal.getZ(i));
    const isDarkBand = Math.floor((position.getZ(i) - min.z) / band) % 2 === 1;
    const light = Math.max(0.35, 1 - 1.6 * steepness) * (isDarkBand ? 0.9 : 1);
    colors.fill(light, 3 * i, 3 * i + 3);
  }
  geometry.setAttribute("color", new BufferAttribute(colors, 3));
}

function readCounts(bytes: ArrayBuffer, name: string): [number, number] {
  if (bytes.byteLength < 8) throw new Error(`${name}: ${bytes.byteLength} bytes; the counts alone take 8`);
  const view = new DataView(bytes);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}
