// This viewer's subscription: the union of what its panels show.

import type { Request } from "./connection.ts";
import { Latest } from "./latest.ts";
import type { History } from "./plots/history.ts";
import type { Subscription } from "./protocol.ts";

export const FRAMES_PER_SECOND = 60;

export class Subscriptions {
  readonly #wanted = new Map<string, readonly string[]>();
  readonly #latest: Latest<Subscription>;
  #contacts = false;
  #rays = false;
  #sent = "";
  #isOpen = false;
  #isScheduled = false;

  constructor(request: Request, history: History, failed: (error: Error) => void) {
    this.#latest = new Latest((subscription) => {
      const text = this.#sent;
      return request("subscribe", subscription).then(
        () => history.setLayout(subscription.signals), // messages after this answer use this layout
        // An outdated subscription may be rejected because the scene has changed meanwhile.
        (error: Error) => text === this.#sent && failed(error),
      );
    });
  }

  /// Sets the signals that one panel shows.
  setSignals(place: string, signals: readonly string[]): void {
    this.#wanted.set(place, signals);
    this.#update();
  }

  setOverlays(contacts: boolean, rays: boolean): void {
    this.#contacts = contacts;
    this.#rays = rays;
    this.#update();
  }

  /// The server has no subscription: new connection, or another scene.
  renew(): void {
    this.#sent = "";
    this.#isOpen = true;
    this.#update();
  }

  close(): void {
    this.#isOpen = false;
  }

  /// Sends once at the end of this task: with another scene, all panels change their signals.
  #update(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    this.#isScheduled = false;
    if (!this.#isOpen) return;
    const signals = [...new Set([...this.#wanted.values()].flat())];
    const wanted = { signals, poses: true, contacts: this.#contacts, rays: this.#rays, rate: FRAMES_PER_SECOND };
    const text = JSON.stringify(wanted);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#latest.set(wanted);
  }
}
