// Over the 3D view: why the run does not move. A controller is missing, the planned duration is over, or it has failed.

import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { formatTime } from "../format.ts";
import type { Connection, Status } from "../protocol.ts";

interface Notice {
  kind: "waiting" | "planned" | "failed" | "replay";
  text: string;
  /// Shown in a fixed-width font, with a button that copies it.
  code?: string;
}

/// What to tell about a status, most urgent first.
export function noticesOf(status: Status): Notice[] {
  const { state, outcome, connections, waiting = [], replay } = status;
  const notices: Notice[] = [];
  if ((state === "failed" || state === "ended") && outcome) {
    const hint = state === "failed" ? "Reset the run to try again (Home)." : "Space continues.";
    notices.push({
      kind: "failed",
      text: `${state === "failed" ? "The run has failed" : "Ended"}: ${outcome}. ${hint}`,
    });
  }
  if (!replay && state !== "failed" && state !== "empty") notices.push(...missing(connections, waiting));
  if (status.at_planned_end)
    notices.push({ kind: "planned", text: `Planned duration of ${formatTime(status.time)} reached. Space continues.` });
  if (replay && state === "paused" && status.time === (status.recording?.start ?? 0))
    notices.push({ kind: "replay", text: "This is a recording. Space plays it; it cannot be changed." });
  return notices;
}

function missing(connections: readonly Connection[], waiting: readonly string[]): Notice[] {
  return connections.flatMap(({ name, address, connected }): Notice[] => {
    const waits = waiting.includes(name);
    if (connected) return waits ? [{ kind: "waiting", text: `Waiting for an answer of ${name}` }] : [];
    return [
      {
        kind: "waiting",
        text: waits ? `Waiting for ${name} at` : `No controller at ${name}. It listens at`,
        code: address,
      },
    ];
  });
}

export function makeStateNotice(app: App): HTMLElement {
  const element = h("div", { class: "state-notice", role: "status" });
  const copy = (text: string): void => {
    void app.run(navigator.clipboard.writeText(text).then(() => app.tell(`${text} copied`)));
  };
  let drawn = "";
  app.store.status.watch((status) => {
    const notices = noticesOf(status);
    const image = JSON.stringify(notices);
    if (image === drawn) return;
    drawn = image;
    element.replaceChildren(
      ...notices.map(({ kind, text, code }) =>
        h(
          "div",
          { class: `notice ${kind}` },
          h("span", {}, text),
          code === undefined ? null : h("code", {}, code),
          code === undefined
            ? null
            : h("button", { type: "button", title: `Copy ${code}`, onclick: () => copy(code) }, "Copy"),
        ),
      ),
    );
  });
  return element;
}
