// What this viewer asks the stream for: the union of what the panels show.

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
  #isPlanned = false;

  constructor(request: Request, history: History, failed: (error: Error) => void) {
    this.#latest = new Latest((subscription) => {
      const text = this.#sent;
      return request("subscribe", subscription).then(
        () => history.setLayout(subscription.signals), // frames after this answer follow it
        // What is no longer asked for may well be rejected: another scene has come meanwhile.
        (error: Error) => text === this.#sent && failed(error),
      );
    });
  }

  /// The signals that one place of the page shows.
  setSignals(place: string, signals: readonly string[]): void {
    this.#wanted.set(place, signals);
    this.#update();
  }

  setOverlays(contacts: boolean, rays: boolean): void {
    this.#contacts = contacts;
    this.#rays = rays;
    this.#update();
  }

  /// The server has forgotten: a new connection, or another scene.
  renew(): void {
    this.#sent = "";
    this.#isOpen = true;
    this.#update();
  }

  close(): void {
    this.#isOpen = false;
  }

  /// At the end of this task: with another scene, all places of the page change what they show.
  #update(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    this.#isPlanned = false;
    if (!this.#isOpen) return;
    const signals = [...new Set([...this.#wanted.values()].flat())];
    const wanted = { signals, poses: true, contacts: this.#contacts, rays: this.#rays, rate: FRAMES_PER_SECOND };
    const text = JSON.stringify(wanted);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#latest.set(wanted);
  }
}
