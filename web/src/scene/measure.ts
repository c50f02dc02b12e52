// Measures in the 3D view: two clicked points give their distance, a third one the angle at the second. The points stay
// on their bodies.

import { Matrix4, Vector3 } from "three";
import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatNumber, formatValue } from "../format.ts";
import { Lines } from "./overlays.ts";

const COLOR = 0xb5179e;

interface Point {
  body: number;
  local: Vector3;
}

/// Distance of the last two points, and the angle at the second of three; "" for fewer than two.
export function describeMeasure(points: readonly Vector3[]): string {
  const [a, b, c] = points;
  if (!a || !b) return "";
  const distance = (from: Vector3, to: Vector3): string => formatValue(from.distanceTo(to), "m", 4);
  if (!c) {
    const parts = b.clone().sub(a).toArray();
    return `${distance(a, b)} (${parts.map((part, i) => `${"xyz"[i]} ${formatValue(part, "m", 3)}`).join(", ")})`;
  }
  const angle = a.clone().sub(b).angleTo(c.clone().sub(b));
  return `${formatNumber((angle * 180) / Math.PI, 4)}°, sides ${distance(a, b)} and ${distance(b, c)}`;
}

export class MeasureTool {
  readonly #app: App;
  readonly #lines = new Lines(COLOR, 2);
  readonly #label = h("div", { class: "measure", role: "status", hidden: true });
  #points: Point[] = [];

  constructor(app: App) {
    this.#app = app;
    const { view, store } = app;
    this.#lines.object.material.depthTest = false;
    this.#lines.object.renderOrder = 3;
    view.addObject(this.#lines.object);
    view.canvas.parentElement!.append(this.#label);
    let down: [number, number] = [0, 0];
    view.canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]), { capture: true });
    // Before the click that selects.
    view.canvas.addEventListener(
      "click",
      (event) => {
        if (!app.isMeasuring.value || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
        event.stopImmediatePropagation();
        this.#add(event.clientX, event.clientY);
      },
      { capture: true },
    );
    app.isMeasuring.watch((isOn) => {
      view.canvas.classList.toggle("measuring", isOn);
      this.clear();
    });
    store.scene.watch(() => this.clear());
    view.onDrawn(() => this.#draw());
  }

  clear(): void {
    this.#points = [];
    this.#draw();
    this.#app.view.invalidate();
  }

  #add(x: number, y: number): void {
    const hit = this.#app.view.pick(x, y);
    if (!hit) return;
    if (this.#points.length === 3) this.#points = [];
    const matrix = this.#app.view.bodyMatrix(hit.body);
    if (!matrix) return;
    const local = hit.point.clone().applyMatrix4(new Matrix4().fromArray(matrix).invert());
    this.#points.push({ body: hit.body, local });
    this.#draw();
    this.#app.view.invalidate();
  }

  /// The points where their bodies are now, world.
  get points(): Vector3[] {
    return this.#points.flatMap(({ body, local }) => {
      const matrix = this.#app.view.bodyMatrix(body);
      return matrix ? [local.clone().applyMatrix4(new Matrix4().fromArray(matrix))] : [];
    });
  }

  #draw(): void {
    const points = this.points;
    const ends = points.slice(1).flatMap((point, i) => [...points[i]!.toArray(), ...point.toArray()]);
    this.#lines.write(ends, ends.length);
    const isOn = this.#app.isMeasuring.value;
    this.#label.hidden = !isOn;
    if (!isOn) return;
    const hint =
      points.length === 0 ? "Click two points for a distance, three for an angle." : "Click the second point.";
    setText(this.#label, describeMeasure(points) || hint);
  }
}
