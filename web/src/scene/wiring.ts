// Connects the 3D view to the store: the view draws the store's state, and clicks select.

import type { App } from "../app.ts";
import type { Scene } from "../protocol.ts";
import type { Selection } from "../store.ts";
import { viewColors } from "../theme.ts";
import { Labels } from "./labels.ts";
import { MeasureTool } from "./measure.ts";
import { PullTool } from "./pull.ts";

/// Pixels. A pointer that moves farther between down and up is a drag, not a click.
const CLICK_PIXELS = 4;

function bodyOf(scene: Scene | null, selection: Selection): number | null {
  if (selection?.kind === "body") return selection.index;
  if (selection?.kind === "joint") return scene?.joints[selection.index]?.body ?? null;
  return null;
}

export function connectView(app: App): void {
  const { store, view, settings, subscriptions, plots } = app;
  const pull = new PullTool(app);
  let lastPath: string | undefined;
  store.scene.watch((scene) => {
    const isSameFile = scene !== null && scene.path === lastPath;
    view.setScene(scene, isSameFile);
    lastPath = scene?.path;
    if (scene) app.history.rowPeriod = scene.row_period;
    if (!isSameFile) plots.propose([]);
    plots.setSignals(scene?.signals ?? [], isSameFile);
    if (!isSameFile) plots.propose(scene?.plots ?? []);
    view.setPlans([]);
    if (!scene) return;
    subscriptions.renew();
    void app.run(app.request("plan").then(({ paths }) => view.setPlans(paths)));
  });
  store.state.watch((state) => {
    if (!state) return;
    view.setState(state);
    plots.setPlayhead(state.time);
    pull.drawLine();
  });
  new MeasureTool(app);
  const labels = new Labels(view);
  store.scene.watch((scene) => labels.setScene(scene));
  settings.watch((value) => {
    view.setSettings(value);
    labels.show(value.labels);
    subscriptions.setOverlays(value.contacts, value.rays);
  });
  store.hidden.watch((hidden) => view.setHidden(hidden));
  store.traced.watch((names) => {
    const bodies = store.scene.value?.bodies ?? [];
    view.setTraced(bodies.flatMap((body, i) => (names.has(body.name) ? [i] : [])));
  });
  app.cameraMode.watch((mode) => {
    view.rig.mode = mode;
    view.rig.forgetBody();
  });
  app.isDark.watch((isDark) => {
    view.setColors(viewColors(isDark));
    plots.recolor();
  });
  app.isPulling.watch((isOn) => view.canvas.classList.toggle("pulling", isOn));
  const update = (now: number): void => {
    requestAnimationFrame(update);
    view.stats.place(() => plots.update(now));
  };
  requestAnimationFrame(update);
}

export function connectSelection(app: App): void {
  const { store, view } = app;
  store.selection.watch((selection) => view.setSelected(bodyOf(store.scene.value, selection)));
  let down: [number, number] | null = null;
  view.canvas.setAttribute("aria-label", "3D view of the scene; the object tree lists its contents");
  view.canvas.setAttribute("role", "img");
  view.canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
  view.canvas.addEventListener("click", (event) => {
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > CLICK_PIXELS) return;
    const hit = view.pick(event.clientX, event.clientY);
    store.selection.set(hit && hit.body > 0 ? { kind: "body", index: hit.body } : null);
  });
  view.canvas.addEventListener("dblclick", (event) => {
    const hit = view.pick(event.clientX, event.clientY);
    if (hit && hit.body > 0) view.focusBody(hit.body);
  });
}
