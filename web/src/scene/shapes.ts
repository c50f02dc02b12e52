// The shapes of a scene as batches: one for each geometry, opacity and purpose (visual, collision).

import {
  BoxGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  FrontSide,
  Group,
  Matrix4,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
  type BufferGeometry,
} from "three";
import type { Geometry, Scene, Shape, Vec3 } from "../protocol.ts";
import { keepOnly, loadHeightmap, loadMesh } from "./assets.ts";
import { Batch, type Instance } from "./batch.ts";

export type Purpose = "visual" | "collision";

const COLLISION_COLOR = [0.1, 0.72, 0.55];
const COLLISION_OPACITY = 0.35;
/// Of bodies that are shown transparent, relative to their own opacity.
const TRANSPARENCY = 0.35;
/// Size of an infinite plane as drawn, in scene radii: its edge is hidden by the fog. (Much larger triangles cause z-fighting between
/// the ground and the grid on it.)
const PLANE_RADII = 150;
const HIGHLIGHT_AMOUNT = 0.75;
/// The infinite ground is blended towards the page background, so that it is calm in both themes.
const GROUND_AMOUNT = 0.6;

/// A geometry and the scale that turns it into the shape. Shapes with the same key share the geometry.
interface Form {
  key: string;
  scale: Vector3;
  make(): BufferGeometry | Promise<BufferGeometry>;
}

function upright<T extends BufferGeometry>(geometry: T): T {
  return geometry.rotateX(Math.PI / 2); // three.js cylinders are along y
}

function formOf(geometry: Geometry, scene: Scene, size: number): Form {
  const unit = new Vector3(1, 1, 1);
  switch (geometry.kind) {
    case "plane":
      return { key: "plane", scale: unit.multiplyScalar(2 * PLANE_RADII * size), make: () => new PlaneGeometry(1, 1) };
    case "box":
      return { key: "box", scale: new Vector3(...geometry.size), make: () => new BoxGeometry(1, 1, 1) };
    case "sphere":
      return {
        key: "sphere",
        scale: unit.multiplyScalar(geometry.radius),
        make: () => upright(new SphereGeometry(1, 32, 20)),
      };
    case "cylinder":
      return {
        key: "cylinder",
        scale: new Vector3(geometry.radius, geometry.radius, geometry.length),
        make: () => upright(new CylinderGeometry(1, 1, 1, 32)),
      };
    case "capsule": {
      const { radius, length } = geometry;
      const make = () => upright(new CapsuleGeometry(radius, length, 6, 24));
      return { key: `capsule ${radius} ${length}`, scale: unit, make };
    }
    case "mesh": {
      const url = scene.meshes[geometry.mesh]?.url;
      if (url === undefined) throw new Error(`unknown mesh ${geometry.mesh}`);
      return { key: `mesh ${geometry.mesh}`, scale: unit, make: () => loadMesh(url) };
    }
    case "heightmap": {
      const url = scene.heightmaps[geometry.heightmap]?.url;
      if (url === undefined) throw new Error(`unknown heightmap ${geometry.heightmap}`);
      const key = `heightmap ${geometry.heightmap} ${geometry.size.join(" ")}`;
      return { key, scale: unit, make: () => loadHeightmap(url, geometry.size) };
    }
  }
}

function localOf(shape: Shape, scale: Vector3): Matrix4 {
  const [w, x, y, z] = shape.orientation;
  return new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), scale);
}

/// Half extents of a shape's bounding box in its own frame; null if it is infinite or not loaded yet.
export function halfSizeOf(geometry: Geometry): Vec3 | null {
  switch (geometry.kind) {
    case "box":
      return [geometry.size[0] / 2, geometry.size[1] / 2, geometry.size[2] / 2];
    case "sphere":
      return [geometry.radius, geometry.radius, geometry.radius];
    case "capsule":
      return [geometry.radius, geometry.radius, geometry.length / 2 + geometry.radius];
    case "cylinder":
      return [geometry.radius, geometry.radius, geometry.length / 2];
    case "plane":
    case "heightmap":
    case "mesh":
      return null;
  }
}

export class Shapes {
  readonly group = new Group();
  readonly #scene: Scene;
  readonly #size: number;
  readonly #batches: { purpose: Purpose; batch: Batch }[] = [];
  readonly #changed: () => void;
  readonly #failed: (text: string) => void;
  #hidden: ReadonlySet<string> = new Set();
  #isOn: Record<Purpose, boolean> = { visual: true, collision: false };
  #isWireframe = false;
  #isTransparent = false;
  #isDisposed = false;

  /// Half extents of the loaded meshes, by index.
  readonly meshHalfSizes = new Map<number, Vec3>();

  /// `size` is the radius of the scene in metres. `changed` is called when a mesh is loaded, `failed` with an error text when
  /// loading fails.
  constructor(scene: Scene, size: number, changed: () => void, failed: (text: string) => void) {
    this.#scene = scene;
    this.#size = size;
    this.#changed = changed;
    this.#failed = failed;
    keepOnly(scene);
    this.#build("visual", (shape) => shape.visible);
    this.#build("collision", (shape) => shape.collide && shape.geometry.kind !== "plane");
  }

  #build(purpose: Purpose, isMeant: (shape: Shape) => boolean): void {
    const groups = new Map<string, { form: Form; opacity: number; instances: Instance[] }>();
    this.#scene.shapes.forEach((shape, item) => {
      if (!isMeant(shape)) return;
      const form = formOf(shape.geometry, this.#scene, this.#size);
      const opacity = purpose === "collision" ? COLLISION_OPACITY : shape.color[3];
      const key = `${form.key}/${opacity}`;
      const group = groups.get(key) ?? { form, opacity, instances: [] };
      const color = purpose === "collision" ? COLLISION_COLOR : shape.color;
      group.instances.push({ body: shape.body, local: localOf(shape, form.scale), color, item });
      groups.set(key, group);
    });
    for (const { form, opacity, instances } of groups.values()) {
      const geometry = form.make();
      if (!(geometry instanceof Promise)) this.#add(purpose, geometry, opacity, instances);
      else
        geometry.then(
          (loaded) => this.#isDisposed || this.#addLoaded(purpose, loaded, opacity, instances),
          (error: Error) => this.#failed(error.message),
        );
    }
  }

  #addLoaded(purpose: Purpose, geometry: BufferGeometry, opacity: number, instances: Instance[]): void {
    const kind = this.#scene.shapes[instances[0]!.item]!.geometry;
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox!;
    // Symmetric about the mesh origin, which may not be its centre.
    const half = max.clone().max(min.clone().negate()).toArray();
    if (kind.kind === "mesh") this.meshHalfSizes.set(kind.mesh, half);
    this.#add(purpose, geometry, opacity, instances);
    this.#changed();
  }

  #add(purpose: Purpose, geometry: BufferGeometry, opacity: number, instances: Instance[]): void {
    const isGround = geometry instanceof PlaneGeometry;
    const material = new MeshStandardMaterial({
      roughness: 0.7,
      metalness: 0.05,
      opacity,
      vertexColors: geometry.hasAttribute("color"),
      transparent: opacity < 1,
      depthWrite: opacity === 1,
      side: isGround ? DoubleSide : FrontSide,
      // Depth offset: the ground behind what is on it, collision shapes in front of visual shapes.
      polygonOffset: isGround || purpose === "collision",
      polygonOffsetFactor: isGround ? 1 : -1,
      polygonOffsetUnits: isGround ? 1 : -1,
    });
    const batch = new Batch(geometry, material, instances);
    batch.mesh.castShadow = purpose === "visual" && !isGround;
    batch.mesh.receiveShadow = purpose === "visual";
    batch.mesh.userData.batch = batch;
    batch.mesh.userData.opacity = opacity;
    this.#batches.push({ purpose, batch });
    this.group.add(batch.mesh);
    this.#applySettings();
    this.#applyHidden();
  }

  update(bodies: Float32Array): void {
    for (const { purpose, batch } of this.#batches) if (this.#isOn[purpose]) batch.update(bodies);
  }

  setSettings(isOn: Record<Purpose, boolean> & { wireframe: boolean; transparent: boolean }): void {
    this.#isOn = { visual: isOn.visual, collision: isOn.collision };
    this.#isWireframe = isOn.wireframe;
    this.#isTransparent = isOn.transparent;
    this.#applySettings();
  }

  /// Names of hidden bodies.
  setHidden(hidden: ReadonlySet<string>): void {
    this.#hidden = hidden;
    this.#applyHidden();
  }

  #applySettings(): void {
    for (const { purpose, batch } of this.#batches) {
      batch.mesh.visible = this.#isOn[purpose];
      const material = batch.mesh.material as MeshStandardMaterial;
      // A plane is two triangles: no useful wireframe. The grid shows where it is.
      const isGround = batch.mesh.geometry instanceof PlaneGeometry;
      material.wireframe = this.#isWireframe && !isGround;
      const own = batch.mesh.userData.opacity as number;
      const opacity = this.#isTransparent && !isGround ? TRANSPARENCY * own : own;
      if (opacity === material.opacity) continue;
      material.opacity = opacity;
      material.transparent = opacity < 1;
      material.depthWrite = opacity === 1;
      material.needsUpdate = true;
    }
  }

  #applyHidden(): void {
    for (const { batch } of this.#batches) {
      batch.instances.forEach(({ body }, i) => batch.show(i, !this.#hidden.has(this.#scene.bodies[body]!.name)));
    }
  }

  /// Highlights a body, and blends the ground towards `ground`.
  setColors(marked: number | null, accent: Color, ground: Color): void {
    for (const { batch } of this.#batches) {
      const isGround = batch.mesh.geometry instanceof PlaneGeometry;
      batch.instances.forEach(({ body, color }, i) => {
        if (body === marked && !isGround) batch.setColor(i, color, accent, HIGHLIGHT_AMOUNT);
        else batch.setColor(i, color, isGround ? ground : null, GROUND_AMOUNT);
      });
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const { batch } of this.#batches) batch.dispose();
  }
}
