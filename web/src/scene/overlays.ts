// Overlays drawn over the shapes: body frames, joint axes, centres of mass, contacts with their forces, rays,
// springs and closed loops. Their size scales with the scene.

import {
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  ConeGeometry,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Object3D,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { ARROW_FLOATS } from "../state_message.ts";
import type { Pair, Scene } from "../protocol.ts";
import { Batch, type Instance } from "./batch.ts";
import { makeInertiaBoxes } from "./inertia.ts";
import { writeNothing, writePoint } from "./transforms.ts";

export interface OverlaySettings {
  frames: boolean;
  axes: boolean;
  centers: boolean;
  inertia: boolean;
  contacts: boolean;
  rays: boolean;
  springs: boolean;
}

const AXIS_COLOR = [0.93, 0.62, 0.1];
const CENTER_COLOR = [0.8, 0.2, 0.6];
const CONTACT_COLOR = [0.9, 0.25, 0.2];
const RAY_COLOR = 0x1f9e6e;
const SPRING_COLOR = 0x8a63d2;
const MAX_CONTACTS = 2000;
const MAX_LINES = 4000;
/// Kinds that are fixed to bodies.
const ATTACHED = ["frames", "axes", "centers", "inertia"] as const;
const UP = new Vector3(0, 0, 1);

/// An arrow of length 1 along z.
function arrowGeometry(thickness: number): BufferGeometry {
  const shaft = new CylinderGeometry(thickness, thickness, 0.8, 10).translate(0, 0.4, 0);
  const head = new ConeGeometry(thickness * 2.6, 0.2, 14).translate(0, 0.9, 0);
  return mergeGeometries([shaft, head]).rotateX(Math.PI / 2);
}

function onTop(): MeshBasicMaterial {
  return new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9, fog: false });
}

/// Line segments whose end points are rewritten for each image.
export class Lines {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #ends: BufferAttribute;

  constructor(color: number, mostSegments: number) {
    this.#ends = new BufferAttribute(new Float32Array(mostSegments * 6), 3).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry().setAttribute("position", this.#ends);
    geometry.setDrawRange(0, 0);
    this.object = new LineSegments(geometry, new LineBasicMaterial({ color, fog: false }));
    this.object.frustumCulled = false;
  }

  /// Six numbers per segment.
  write(values: ArrayLike<number>, count: number): void {
    const array = this.#ends.array as Float32Array;
    const length = Math.min(count, array.length);
    for (let i = 0; i < length; ++i) array[i] = values[i]!;
    this.#ends.needsUpdate = true;
    this.object.geometry.setDrawRange(0, length / 3);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

export class Overlays {
  readonly group = new Group();
  readonly #scene: Scene;
  readonly #attached: Partial<Record<keyof OverlaySettings, Batch[]>>;
  readonly #contacts: Batch;
  readonly #rays = new Lines(RAY_COLOR, MAX_LINES);
  readonly #springs = new Lines(SPRING_COLOR, MAX_LINES);
  readonly #springEnds: Float32Array;
  readonly #metresPerNewton: number;
  readonly #longestArrow: number;
  #settings: OverlaySettings | undefined;

  /// `size` is the radius of the scene in metres.
  constructor(scene: Scene, size: number) {
    this.#scene = scene;
    const bodies = scene.bodies.map((_, body) => body).slice(1);
    this.#attached = {
      frames: this.#axesOfFrames(bodies, 0.12 * size),
      axes: [this.#jointAxes(0.3 * size)],
      centers: [this.#centers(bodies, 0.014 * size)],
      inertia: [makeInertiaBoxes(scene)],
    };
    this.#contacts = this.#makeContacts();
    // Scale: the weight of an average body gives an arrow about as long as the spacing of the bodies.
    const masses = scene.bodies.filter((body) => body.movable).map((body) => body.mass);
    const weight = masses.reduce((sum, mass) => sum + mass, 0) * (Math.hypot(...scene.gravity) || 9.81);
    this.#metresPerNewton = weight > 0 ? (0.6 * size * Math.sqrt(masses.length)) / weight : 0.01;
    this.#longestArrow = 0.4 * size;
    this.#springEnds = new Float32Array(6 * (scene.springs.length + scene.loops.length));
    this.group.add(this.#rays.object, this.#springs.object);
    for (const batches of Object.values(this.#attached)) for (const { mesh } of batches) this.group.add(mesh);
    this.group.add(this.#contacts.mesh);
    for (const child of this.group.children) this.#raise(child);
  }

  #raise(object: Object3D): void {
    object.renderOrder = 2;
  }

  #axesOfFrames(bodies: number[], length: number): Batch[] {
    const turns: [Vector3, number[]][] = [
      [new Vector3(1, 0, 0), [0.85, 0.2, 0.2]],
      [new Vector3(0, 1, 0), [0.25, 0.65, 0.25]],
      [new Vector3(0, 0, 1), [0.2, 0.42, 0.88]],
    ];
    return turns.map(([axis, color]) => {
      const local = new Matrix4().compose(
        new Vector3(),
        new Quaternion().setFromUnitVectors(UP, axis),
        new Vector3(length, length, length),
      );
      const instances = bodies.map((body): Instance => ({ body, local, color, item: body }));
      return new Batch(arrowGeometry(0.025), onTop(), instances);
    });
  }

  #jointAxes(length: number): Batch {
    const instances: Instance[] = [];
    this.#scene.joints.forEach((joint, item) => {
      const axis = new Vector3(...joint.axis);
      if (!(joint.type === "hinge" || joint.type === "slide") || axis.length() === 0) return;
      const turn = new Quaternion().setFromUnitVectors(UP, axis.normalize());
      const start = new Vector3(...joint.position).addScaledVector(axis, -length / 2);
      const local = new Matrix4().compose(start, turn, new Vector3(length, length, length));
      instances.push({ body: joint.body, local, color: AXIS_COLOR, item });
    });
    return new Batch(arrowGeometry(0.018), onTop(), instances);
  }

  #centers(bodies: number[], radius: number): Batch {
    const instances = bodies
      .filter((body) => this.#scene.bodies[body]!.mass > 0)
      .map((body): Instance => {
        const local = new Matrix4().makeScale(radius, radius, radius);
        return { body, item: body, color: CENTER_COLOR, local: local.setPosition(...this.#scene.bodies[body]!.center) };
      });
    return new Batch(new SphereGeometry(1, 16, 12), onTop(), instances);
  }

  #makeContacts(): Batch {
    const none = new Matrix4();
    const instances = Array.from({ length: MAX_CONTACTS }, (_, item): Instance => {
      return { body: 0, local: none, color: CONTACT_COLOR, item };
    });
    const dot = new SphereGeometry(0.045, 10, 8);
    return new Batch(mergeGeometries([arrowGeometry(0.02), dot]), onTop(), instances);
  }

  setSettings(settings: OverlaySettings): void {
    this.#settings = settings;
    for (const kind of ATTACHED) {
      for (const { mesh } of this.#attached[kind] ?? []) mesh.visible = settings[kind];
    }
    this.#contacts.mesh.visible = settings.contacts;
    this.#rays.object.visible = settings.rays;
    this.#springs.object.visible = settings.springs;
  }

  update(bodies: Float32Array, contacts: Float32Array, rays: Float32Array): void {
    const settings = this.#settings;
    if (!settings) return;
    for (const kind of ATTACHED) {
      if (settings[kind]) for (const batch of this.#attached[kind] ?? []) batch.update(bodies);
    }
    if (settings.contacts) this.#writeContacts(contacts);
    if (settings.rays) this.#rays.write(rays, rays.length);
    if (settings.springs && this.#springEnds.length > 0) this.#writeSprings(bodies);
  }

  #writeContacts(contacts: Float32Array): void {
    const count = Math.min(contacts.length / ARROW_FLOATS, MAX_CONTACTS);
    const out = this.#contacts.mesh.instanceMatrix.array as Float32Array;
    for (let i = 0; i < count; ++i)
      writeArrow(out, i * 16, contacts, i * ARROW_FLOATS, this.#metresPerNewton, this.#longestArrow);
    this.#contacts.mesh.count = count;
    this.#contacts.mesh.instanceMatrix.needsUpdate = true;
  }

  #writeSprings(bodies: Float32Array): void {
    let at = 0;
    const write = (pairs: readonly Pair[]): void => {
      for (const pair of pairs) {
        at = this.#writeSite(pair.a, bodies, at);
        at = this.#writeSite(pair.b, bodies, at);
      }
    };
    write(this.#scene.springs);
    write(this.#scene.loops);
    this.#springs.write(this.#springEnds, this.#springEnds.length);
  }

  #writeSite(number: number, bodies: Float32Array, at: number): number {
    const site = this.#scene.sites[number];
    if (site) writePoint(this.#springEnds, at, bodies, site.body * 16, site.position);
    return at + 3;
  }

  dispose(): void {
    for (const batches of Object.values(this.#attached)) for (const batch of batches) batch.dispose();
    this.#contacts.dispose();
    this.#rays.dispose();
    this.#springs.dispose();
  }
}

/// Transform that maps a unit arrow along z to an arrow from a point along a force, at most `longest` long.
function writeArrow(
  out: Float32Array,
  at: number,
  values: Float32Array,
  from: number,
  metresPerNewton: number,
  longest: number,
): void {
  const fx = values[from + 3]!;
  const fy = values[from + 4]!;
  const fz = values[from + 5]!;
  const force = Math.hypot(fx, fy, fz);
  if (!(force > 0)) {
    writeNothing(out, at);
    return;
  }
  const length = Math.min(force * metresPerNewton, longest);
  const [zx, zy, zz] = [fx / force, fy / force, fz / force];
  // Any x perpendicular to z will do: y × z, or x × z where z is along y.
  const isAlongY = Math.abs(zy) > 0.9;
  let xx = isAlongY ? 0 : zz;
  let xy = isAlongY ? -zz : 0;
  let xz = isAlongY ? zy : -zx;
  const norm = Math.hypot(xx, xy, xz);
  xx /= norm;
  xy /= norm;
  xz /= norm;
  out[at] = xx * length;
  out[at + 1] = xy * length;
  out[at + 2] = xz * length;
  out[at + 3] = 0;
  out[at + 4] = (zy * xz - zz * xy) * length;
  out[at + 5] = (zz * xx - zx * xz) * length;
  out[at + 6] = (zx * xy - zy * xx) * length;
  out[at + 7] = 0;
  out[at + 8] = zx * length;
  out[at + 9] = zy * length;
  out[at + 10] = zz * length;
  out[at + 11] = 0;
  out[at + 12] = values[from]!;
  out[at + 13] = values[from + 1]!;
  out[at + 14] = values[from + 2]!;
  out[at + 15] = 1;
}
