// The context object that all panels share.

import type { Request } from "./connection.ts";
import type { Plots } from "./plots/plots.ts";
import type { History } from "./plots/history.ts";
import type { Loop } from "./loop.ts";
import type { CameraMode } from "./scene/camera.ts";
import type { ViewSettings } from "./scene/settings.ts";
import type { View } from "./scene/view.ts";
import type { Cell, Store } from "./store.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface App {
  store: Store;
  request: Request;
  /// Waits for a request and shows its error if the server rejects it. Returns true on success.
  run(answer: Promise<unknown>): Promise<boolean>;
  /// Shows a short notice (toast).
  tell(text: string): void;
  /// Goes to an instant of the known run, s.
  seek(time: number): void;
  loop: Loop;
  view: View;
  settings: Cell<ViewSettings>;
  cameraMode: Cell<CameraMode>;
  isPulling: Cell<boolean>;
  isMeasuring: Cell<boolean>;
  isDark: Cell<boolean>;
  history: History;
  plots: Plots;
  subscriptions: Subscriptions;
}
