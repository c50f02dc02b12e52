// The ways that the centres of mass of bodies went, and the ways that playback controllers will go.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Line, LineBasicMaterial, LineDashedMaterial, Vector3 } from "three";
import type { Path, Scene, Vec3 } from "../protocol.ts";
import { writePoint } from "./transforms.ts";

const MOST_POINTS = 8000;
const COLORS = [0x2f7de1, 0xd9480f, 0x2b8a3e, 0xae3ec9, 0x0b7285, 0xb08500];
const PLAN_COLOR = 0x9c36b5;

class Trace {
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  readonly #points = new BufferAttribute(new Float32Array(MOST_POINTS * 3), 3).setUsage(DynamicDrawUsage);
  #count = 0;

  constructor(color: number) {
    const geometry = new BufferGeometry().setAttribute("position", this.#points);
    geometry.setDrawRange(0, 0);
    this.line = new Line(geometry, new LineBasicMaterial({ color, fog: false }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 1;
  }

  /// Adds a point that is at least `spacing` from the last one.
  add(point: Vec3, spacing: number): void {
    const array = this.#points.array as Float32Array;
    const last = (this.#count - 1) * 3;
    if (this.#count > 0) {
      const distance = Math.hypot(point[0] - array[last]!, point[1] - array[last + 1]!, point[2] - array[last + 2]!);
      if (distance < spacing) return;
    }
    if (this.#count === MOST_POINTS) {
      array.copyWithin(0, (MOST_POINTS / 2) * 3);
      this.#count = MOST_POINTS / 2;
    }
    for (let i = 0; i < 3; ++i) array[this.#count * 3 + i] = point[i]!;
    ++this.#count;
    this.#points.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.#count);
  }

  clear(): void {
    this.#count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
  }
}

export class Traces {
  readonly group = new Group();
  readonly #plans = new Group();
  readonly #traces = new Map<number, Trace>();
  readonly #scene: Scene;
  readonly #spacing: number;
  readonly #point: Vec3 = [0, 0, 0];
  #lastTime = Number.NEGATIVE_INFINITY;

  constructor(scene: Scene, size: number) {
    this.#scene = scene;
    this.#spacing = size / 500;
    this.group.add(this.#plans);
  }

  /// Traces these bodies, and no others, from now on.
  setBodies(bodies: readonly number[]): void {
    for (const [body, trace] of this.#traces) {
      if (bodies.includes(body)) continue;
      this.group.remove(trace.line);
      trace.dispose();
      this.#traces.delete(body);
    }
    for (const body of bodies) {
      if (this.#traces.has(body)) continue;
      const trace = new Trace(COLORS[body % COLORS.length]!);
      this.#traces.set(body, trace);
      this.group.add(trace.line);
    }
  }

  setPlans(paths: readonly Path[]): void {
    for (const line of this.#plans.children as Line<BufferGeometry, LineDashedMaterial>[]) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.#plans.clear();
    for (const path of paths) {
      const geometry = new BufferGeometry().setFromPoints(path.points.map((point) => new Vector3(...point)));
      const dash = this.#spacing * 12;
      const material = new LineDashedMaterial({ color: PLAN_COLOR, dashSize: dash, gapSize: dash * 0.7, fog: false });
      this.#plans.add(new Line(geometry, material).computeLineDistances());
    }
  }

  showPlans(isShown: boolean): void {
    this.#plans.visible = isShown;
  }

  update(bodies: Float32Array, time: number): void {
    if (time < this.#lastTime) for (const trace of this.#traces.values()) trace.clear();
    this.#lastTime = time;
    for (const [body, trace] of this.#traces) {
      writePoint(this.#point, 0, bodies, body * 16, this.#scene.bodies[body]!.center);
      trace.add(this.#point, this.#spacing);
    }
  }

  dispose(): void {
    this.setBodies([]);
    this.setPlans([]);
  }
}
