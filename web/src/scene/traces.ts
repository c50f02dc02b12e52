// Traces: paths of the centres of mass of bodies; planned and actual paths of sites that follow a motion plan.

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  Line,
  LineBasicMaterial,
  LineDashedMaterial,
  LineSegments,
  Vector3,
} from "three";
import { LINE_COLORS } from "../plots/colors.ts";
import type { Path, Scene, Site, Vec3 } from "../protocol.ts";
import { writePoint } from "./transforms.ts";

const MAX_POINTS = 16_000; // two per piece of the line
/// s. The path between two states that are farther apart is not known: the line is broken there.
const LONGEST_STRETCH = 0.25;
const PLAN_COLOR = 0xb14fd0;
const FLOWN_COLOR = "#e8590c";

class Trace {
  readonly line: LineSegments<BufferGeometry, LineBasicMaterial>;
  #last: Vec3 | null = null;
  readonly #points = new BufferAttribute(new Float32Array(MAX_POINTS * 3), 3).setUsage(DynamicDrawUsage);
  #count = 0;

  constructor(color: string) {
    const geometry = new BufferGeometry().setAttribute("position", this.#points);
    geometry.setDrawRange(0, 0);
    this.line = new LineSegments(geometry, new LineBasicMaterial({ color, fog: false }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 1;
  }

  /// Adds a point that is at least `spacing` from the last one.
  add(point: Vec3, spacing: number): void {
    const array = this.#points.array as Float32Array;
    const last = this.#last;
    if (last && Math.hypot(point[0] - last[0], point[1] - last[1], point[2] - last[2]) < spacing) return;
    this.#last = [...point];
    if (!last) return;
    if (this.#count === MAX_POINTS) {
      array.copyWithin(0, (MAX_POINTS / 2) * 3);
      this.#count = MAX_POINTS / 2;
    }
    array.set(last, this.#count * 3);
    array.set(point, this.#count * 3 + 3);
    this.#count += 2;
    this.#points.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.#count);
  }

  /// The next point is not joined to the last one.
  lift(): void {
    this.#last = null;
  }

  clear(): void {
    this.#last = null;
    this.#count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
  }
}

/// Planned path of a site (dashed), and its actual path.
interface Plan {
  site: Site | undefined;
  line: Line<BufferGeometry, LineDashedMaterial>;
  flown: Trace;
}

export class Traces {
  readonly group = new Group();
  readonly #planGroup = new Group();
  readonly #traces = new Map<number, Trace>();
  #plans: Plan[] = [];
  readonly #scene: Scene;
  readonly #spacing: number;
  readonly #point: Vec3 = [0, 0, 0];
  #lastTime = Number.NEGATIVE_INFINITY;

  constructor(scene: Scene, size: number) {
    this.#scene = scene;
    this.#spacing = size / 500;
    this.group.add(this.#planGroup);
  }

  /// Traces exactly these bodies from now on.
  setBodies(bodies: readonly number[]): void {
    for (const [body, trace] of this.#traces) {
      if (bodies.includes(body)) continue;
      this.group.remove(trace.line);
      trace.dispose();
      this.#traces.delete(body);
    }
    for (const body of bodies) {
      if (this.#traces.has(body)) continue;
      const trace = new Trace(LINE_COLORS[body % LINE_COLORS.length]!);
      this.#traces.set(body, trace);
      this.group.add(trace.line);
    }
  }

  setPlans(paths: readonly Path[]): void {
    for (const { line, flown } of this.#plans) {
      line.geometry.dispose();
      line.material.dispose();
      flown.dispose();
    }
    this.#planGroup.clear();
    this.#plans = paths.map((path) => this.#makePlan(path));
    for (const { line, flown } of this.#plans) this.#planGroup.add(line, flown.line);
  }

  #makePlan({ name, points }: Path): Plan {
    const geometry = new BufferGeometry().setFromPoints(points.map((point) => new Vector3(...point)));
    const dash = this.#spacing * 24;
    const material = new LineDashedMaterial({ color: PLAN_COLOR, dashSize: dash, gapSize: dash * 0.7, fog: false });
    const line = new Line(geometry, material).computeLineDistances();
    return { site: this.#scene.sites.find((site) => site.name === name), line, flown: new Trace(FLOWN_COLOR) };
  }

  showPlans(isShown: boolean): void {
    this.#planGroup.visible = isShown;
  }

  update(bodies: Float32Array, time: number): void {
    const traces = [...this.#traces.values(), ...this.#plans.map(({ flown }) => flown)];
    if (time < this.#lastTime) for (const trace of traces) trace.clear();
    else if (time > this.#lastTime + LONGEST_STRETCH) for (const trace of traces) trace.lift();
    this.#lastTime = time;
    for (const [body, trace] of this.#traces) {
      writePoint(this.#point, 0, bodies, body * 16, this.#scene.bodies[body]!.center);
      trace.add(this.#point, this.#spacing);
    }
    for (const { site, flown } of this.#plans) {
      if (!site) continue;
      writePoint(this.#point, 0, bodies, site.body * 16, site.position);
      flown.add(this.#point, this.#spacing);
    }
  }

  dispose(): void {
    this.setBodies([]);
    this.setPlans([]);
  }
}
