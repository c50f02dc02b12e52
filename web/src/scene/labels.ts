// Names of the bodies at their places in the view.

import { Vector3 } from "three";
import { h } from "../dom.ts";
import type { Scene } from "../protocol.ts";
import type { View } from "./view.ts";

/// With more bodies than this, names would hide each other, and cost time.
const MAX_LABELS = 150;

export class Labels {
  readonly #view: View;
  readonly #element = h("div", { class: "labels", "aria-hidden": "true" });
  #labels: { element: HTMLElement; body: number }[] = [];
  #isOn = false;
  readonly #at = new Vector3();

  constructor(view: View) {
    this.#view = view;
    view.canvas.parentElement!.append(this.#element);
    view.onDrawn(() => this.#place());
  }

  setScene(scene: Scene | null): void {
    const bodies = scene?.bodies ?? [];
    this.#labels = bodies
      .map((body, index) => ({ body, index }))
      .filter(({ index }) => index > 0)
      .slice(0, MAX_LABELS)
      .map(({ body, index }) => ({ body: index, element: h("span", {}, body.name) }));
    this.#element.replaceChildren(...this.#labels.map(({ element }) => element));
  }

  show(isOn: boolean): void {
    this.#isOn = isOn;
    this.#element.hidden = !isOn;
    this.#view.invalidate();
  }

  #place(): void {
    if (!this.#isOn) return;
    const { clientWidth, clientHeight } = this.#view.canvas;
    for (const { element, body } of this.#labels) {
      const matrix = this.#view.bodyMatrix(body);
      if (matrix) this.#at.set(matrix[12]!, matrix[13]!, matrix[14]).project(this.#view.rig.camera);
      const isSeen = matrix !== null && this.#at.z < 1 && Math.abs(this.#at.x) < 1 && Math.abs(this.#at.y) < 1;
      element.hidden = !isSeen;
      if (!isSeen) continue;
      const [x, y] = [((this.#at.x + 1) / 2) * clientWidth, ((1 - this.#at.y) / 2) * clientHeight];
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
