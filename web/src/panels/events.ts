// The log of events and warnings.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { formatTime } from "../format.ts";

const MAX_ROWS = 200;

export function makeEvents(app: App): HTMLElement {
  const list = h("ul", { class: "events", role: "log", "aria-live": "off", "aria-label": "Events and warnings" });
  app.store.log.watch((lines) => {
    list.replaceChildren(
      ...lines
        .slice(-MAX_ROWS)
        .reverse()
        .map(({ kind, time, text }) =>
          h("li", { class: kind }, h("span", { class: "muted" }, formatTime(time)), h("span", {}, text)),
        ),
    );
    if (lines.length === 0) list.append(h("li", { class: "hint" }, "No events yet."));
  });
  return h("div", { class: "panel-content" }, list);
}
