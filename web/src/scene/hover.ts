// The name of the body under the pointer, beside it.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";

/// A ray through large meshes takes milliseconds.
const MS_PER_PICK = 80;

export function connectHover({ view, store }: App): void {
  const label = h("div", { class: "hover-name", "aria-hidden": "true", hidden: true });
  view.canvas.parentElement!.append(label);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hide = (): void => {
    clearTimeout(timer);
    timer = undefined;
    label.hidden = true;
  };
  let last = { x: 0, y: 0 };
  view.canvas.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return hide();
    last = { x: event.clientX, y: event.clientY };
    timer ??= setTimeout(() => {
      timer = undefined;
      const hit = view.pick(last.x, last.y);
      label.hidden = !hit || hit.body === 0;
      if (!hit || hit.body === 0) return;
      setText(label, store.scene.value?.bodies[hit.body]?.name ?? "");
      const box = view.canvas.getBoundingClientRect();
      label.style.left = `${last.x - box.left + 14}px`;
      label.style.top = `${last.y - box.top + 14}px`;
    }, MS_PER_PICK);
  });
  view.canvas.addEventListener("pointerleave", hide);
  view.canvas.addEventListener("pointerdown", hide);
}
