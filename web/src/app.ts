// What the panels share.

import type { Request } from "./connection.ts";
import type { Plots } from "./plots/plots.ts";
import type { History } from "./plots/history.ts";
import type { CameraMode } from "./scene/camera.ts";
import type { ViewSettings } from "./scene/settings.ts";
import type { View } from "./scene/view.ts";
import type { Cell, Store } from "./store.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface App {
  store: Store;
  request: Request;
  /// Waits for a request and tells the person if it was rejected. True if it was not.
  run(answer: Promise<unknown>): Promise<boolean>;
  /// Says something in passing.
  tell(text: string): void;
  view: View;
  settings: Cell<ViewSettings>;
  cameraMode: Cell<CameraMode>;
  isPulling: Cell<boolean>;
  isDark: Cell<boolean>;
  history: History;
  plots: Plots;
  subscriptions: Subscriptions;
}
