// Notices: the banner while the connection is down, toasts, and the token dialog.

import type { App } from "./app.ts";
import { h, setText } from "./dom.ts";
import type { Cell, Store } from "./store.ts";

const MESSAGE_MS = 7000;

export function makeMessages(): { element: HTMLElement; tell: App["tell"] } {
  const element = h("div", { class: "messages", role: "status", "aria-live": "polite" });
  const tell = (text: string): void => {
    if (element.lastElementChild?.textContent === text) return;
    const message = h("div", { class: "toast" }, text);
    element.append(message);
    setTimeout(() => message.remove(), MESSAGE_MS);
  };
  return { element, tell };
}

/// Tells screen readers when the state of the run changes, and of warnings; not of the numbers in between.
export function makeAnnouncer(store: Store): HTMLElement {
  const element = h("div", { class: "visually-hidden announcer", role: "status" });
  let last = store.status.value.state;
  store.status.watch(({ state, outcome }) => {
    if (state === last) return;
    last = state;
    setText(element, outcome ? `${state}: ${outcome}` : state);
  });
  store.log.watch((lines) => {
    const line = lines.at(-1);
    if (line?.kind === "warning") setText(element, `warning: ${line.text}`);
  });
  return element;
}

export function makeBanner(store: Store, connection: { connect(): void }): HTMLElement {
  const text = h("span", {});
  const retry = h("button", { type: "button", onclick: () => connection.connect() }, "Reconnect now");
  const element = h("div", { class: "banner", role: "alert", hidden: true }, text, retry);
  let hasBeenOpen = false;
  const show = (): void => {
    const { state, retryAt } = store.connection.value;
    if (state === "open") hasBeenOpen = true;
    element.hidden = state === "open" || (state === "connecting" && !hasBeenOpen && !retryAt);
    const seconds = Math.max(0, Math.ceil((retryAt - performance.now()) / 1000));
    const what = hasBeenOpen ? "Connection to the server lost" : "The server does not respond";
    setText(text, state === "lost" ? `${what}. Reconnecting in ${seconds} s.` : `${what}. Connecting…`);
    retry.disabled = state === "connecting";
  };
  store.connection.watch(show);
  setInterval(() => store.connection.value.state === "lost" && show(), 250);
  return element;
}

/// Asks for the token that a server on a non-loopback address requires.
export function makeTokenDialog(token: Cell<string>, use: () => void): HTMLDialogElement {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const submit = (event: Event): void => {
    event.preventDefault();
    token.set(input.value.trim());
    dialog.close();
    use();
  };
  const dialog: HTMLDialogElement = h(
    "dialog",
    { "aria-label": "Server token" },
    h("header", {}, h("h2", {}, "This server requires a token")),
    h(
      "form",
      { class: "row", onsubmit: submit },
      h("label", { for: "token" }, "Token"),
      input,
      h("button", {}, "Connect"),
    ),
  );
  return dialog;
}
