// The timeline: scrubs through the recorded run, and marks the snapshots.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatNumber, formatTime } from "../format.ts";
import { Latest } from "../latest.ts";
import { fractionOf, roundTimes } from "../timeline.ts";

const MAX_MARKS = 12;

export function makeTimeline(app: App): HTMLElement {
  const seeks = new Latest<number>((time) => app.run(app.request("seek", { time })));
  const range = h("input", { type: "range", "aria-label": "Timeline", step: "any", min: 0, max: 1, value: 0 });
  const now = h("output", { class: "now" });
  const end = h("span", { class: "muted" });
  const marks = h("div", { class: "marks", "aria-hidden": "true" });
  let isHeld = false;
  range.addEventListener("pointerdown", () => (isHeld = true));
  for (const type of ["pointerup", "pointercancel", "change"]) range.addEventListener(type, () => (isHeld = false));
  range.addEventListener("input", () => {
    seeks.set(range.valueAsNumber);
    setText(now, formatTime(range.valueAsNumber));
  });
  const element = h("div", { class: "timeline" }, now, h("div", { class: "track" }, marks, range), end);
  let drawn = "";
  app.store.status.watch((status) => {
    const { time, recording, snapshots } = status;
    range.disabled = !recording;
    element.hidden = status.state === "empty";
    const stretch = recording ?? { start: 0, end: 0 };
    const planned = app.store.scene.value?.duration ?? 0;
    const limit = planned > 0 ? ` of ${formatTime(planned)}` : "";
    setText(end, (recording ? formatTime(stretch.end) : formatTime(time)) + (status.replay ? "" : limit));
    end.title = recording ? "" : "A run with a controller outside cannot go back in time";
    if (isHeld) return;
    setText(now, formatTime(time));
    range.min = String(stretch.start);
    range.max = String(Math.max(stretch.end, stretch.start + 1e-9));
    range.valueAsNumber = time;
    range.setAttribute("aria-valuetext", formatTime(time));
    const image = JSON.stringify([stretch, snapshots, planned]);
    if (image === drawn) return;
    drawn = image;
    const mark = (at: number, kind: string, text: string): HTMLElement =>
      h(
        "span",
        { class: kind, style: `left:${100 * fractionOf(at, stretch)}%`, title: text },
        kind === "tick" ? text : "",
      );
    marks.replaceChildren(
      ...roundTimes(stretch, MAX_MARKS).map((at) => mark(at, "tick", formatNumber(at, 6))),
      ...(planned > stretch.start && planned <= stretch.end && !status.replay
        ? [mark(planned, "planned", `Planned duration: ${formatTime(planned)}`)]
        : []),
      ...snapshots.map((snapshot) => mark(snapshot.time, "flag", snapshot.name)),
    );
  });
  return element;
}
