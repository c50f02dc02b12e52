// A further group of plots, with its own time range, over the same history.

import type { App } from "../app.ts";
import { Plots } from "./plots.ts";

export interface ExtraPlots {
  element: HTMLElement;
  plots: Plots;
  dispose(): void;
}

/// `id` names the group in the subscription; `changed` is called when it shows something else.
export function makeExtraPlots(app: App, id: string, changed: () => void): ExtraPlots {
  const { store, subscriptions } = app;
  const plots = new Plots(
    app.history,
    app.request,
    (signals) => {
      subscriptions.setSignals(id, signals);
      changed();
    },
    (time) => app.seek(time),
  );
  const stops = [
    // The first group decides about the history.
    store.scene.watch((scene) => plots.setSignals(scene?.signals ?? [], true)),
    store.state.watch((state) => state && plots.setPlayhead(state.time)),
    app.isDark.watch(() => plots.recolor()),
  ];
  let isOpen = true;
  const update = (now: number): void => {
    if (!isOpen) return;
    requestAnimationFrame(update);
    app.view.stats.place(() => plots.update(now));
  };
  requestAnimationFrame(update);
  return {
    element: plots.element,
    plots,
    dispose: () => {
      isOpen = false;
      for (const stop of stops) stop();
      subscriptions.setSignals(id, []);
    },
  };
}
