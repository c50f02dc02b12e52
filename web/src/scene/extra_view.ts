// A further 3D view: the same scene from another camera.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { viewColors } from "../theme.ts";
import { View } from "./view.ts";

export interface ExtraView {
  element: HTMLElement;
  view: View;
  dispose(): void;
}

export function makeExtraView(app: App, framesPerSecond: number): ExtraView {
  const { store } = app;
  const element = h("div", { class: "view" });
  const view = new View(element, framesPerSecond, (text) => app.tell(text));
  const stops = [
    store.scene.watch((scene) => view.setScene(scene, false)),
    store.state.watch((state) => state && view.setState(state)),
    app.settings.watch((settings) => view.setSettings(settings)),
    store.hidden.watch((hidden) => view.setHidden(hidden)),
    store.selection.watch((selection) => view.setSelected(selection?.kind === "body" ? selection.index : null)),
    app.isDark.watch((isDark) => view.setColors(viewColors(isDark))),
  ];
  view.canvas.addEventListener("dblclick", (event) => {
    const hit = view.pick(event.clientX, event.clientY);
    if (hit && hit.body > 0) view.focusBody(hit.body);
  });
  return {
    element,
    view,
    dispose: () => {
      for (const stop of stops) stop();
      view.dispose();
    },
  };
}
