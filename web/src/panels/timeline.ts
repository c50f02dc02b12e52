// The timeline: scrubs through the recorded run, marks snapshots and events, and loops over a stretch.

import type { App } from "../app.ts";
import { h, setText } from "../dom.ts";
import { formatNumber, formatTime } from "../format.ts";
import { fractionOf, groupMarks, roundTimes, timeAt, type Mark, type Stretch } from "../timeline.ts";
import { iconButton, setPressed } from "../widgets.ts";

const MAX_MARKS = 12;
/// Marks closer than this fraction of the timeline are one.
const LEAST_DISTANCE = 0.006;
/// Without a zoomed plot, a loop covers this much before the shown instant, s.
const LOOP_SECONDS = 3;

/// Loops over the zoomed range of the plots, or over what was just seen.
export function toggleLoop(app: App): void {
  const { loop, plots, store } = app;
  if (loop.isOn.value) return loop.stop();
  const { time } = store.status.value;
  const zoomed = plots.zoomedRange;
  void loop.start(zoomed ? { start: zoomed[0], end: zoomed[1] } : { start: time - LOOP_SECONDS, end: time });
}

export function makeTimeline(app: App): HTMLElement {
  const { store, loop } = app;
  const range = h("input", { type: "range", "aria-label": "Timeline", step: "any", min: 0, max: 1, value: 0 });
  const now = h("output", { class: "now" });
  const end = h("span", { class: "muted" });
  const ticks = h("div", { class: "marks", "aria-hidden": "true" });
  const marks = h("div", { class: "marks clickable", "aria-hidden": "true" }); // the events tab lists them, too
  // Pressed, not clicked: while the run goes on, the marks are drawn again before the button is released.
  marks.addEventListener("pointerdown", ({ target }) => {
    const { time } = (target as HTMLElement).dataset;
    if (time !== undefined) app.seek(Number(time));
  });
  const loopButton = iconButton("loop", "Loop over a stretch (L)", () => toggleLoop(app));
  let isHeld = false;
  range.addEventListener("pointerdown", () => (isHeld = true));
  for (const type of ["pointerup", "pointercancel", "change"]) range.addEventListener(type, () => (isHeld = false));
  range.addEventListener("input", () => {
    app.seek(range.valueAsNumber);
    setText(now, formatTime(range.valueAsNumber));
  });
  let stretch: Stretch = { start: 0, end: 0 };
  const track = h("div", { class: "track" }, ticks, range, marks);
  const band = makeBand(app, track, () => stretch);
  ticks.append(band.element);
  const rest = h("span", { class: "row" }, end, loopButton);
  const element = h("div", { class: "timeline" }, now, track, rest);
  track.append(...band.handles);

  const planned = (): number => store.scene.value?.duration ?? 0;
  const isPlannedKnown = (): boolean =>
    planned() > stretch.start && planned() <= stretch.end && !store.status.value.replay;
  let drawn = "";
  const drawMarks = (): void => {
    const { snapshots } = store.status.value;
    const all: Mark[] = [
      ...store.log.value.map(({ kind, time, text }) => ({ kind, time, text })),
      ...snapshots.map(({ name, time }) => ({ kind: "flag" as const, time, text: `Snapshot ${name}` })),
    ].filter(({ time }) => time >= stretch.start && time <= stretch.end);
    const image = JSON.stringify([stretch, all, isPlannedKnown(), planned()]);
    if (image === drawn) return;
    drawn = image;
    const place = (time: number): string => `left:${100 * fractionOf(time, stretch)}%`;
    ticks.replaceChildren(
      band.element,
      ...roundTimes(stretch, MAX_MARKS).map((at) =>
        h("span", { class: "tick", style: place(at) }, formatNumber(at, 6)),
      ),
      ...(isPlannedKnown()
        ? [
            h("span", {
              class: "planned",
              style: place(planned()),
              title: `Planned duration: ${formatTime(planned())}`,
            }),
          ]
        : []),
    );
    marks.replaceChildren(
      ...groupMarks(all, LEAST_DISTANCE * (stretch.end - stretch.start)).map(({ kind, time, text }) => {
        const label = `${formatTime(time)}: ${text}`;
        return h("span", { class: kind, style: place(time), title: label, "data-time": time });
      }),
    );
    band.draw();
  };
  store.status.watch((status) => {
    const { time, recording } = status;
    range.disabled = !recording;
    loopButton.disabled = !recording;
    element.hidden = status.state === "empty";
    stretch = recording ?? { start: 0, end: 0 };
    const limit = planned() > 0 ? ` of ${formatTime(planned())}` : "";
    setText(end, (recording ? formatTime(stretch.end) : formatTime(time)) + (status.replay ? "" : limit));
    end.title = recording ? "" : "A run with a controller outside cannot go back in time";
    if (isHeld) return;
    setText(now, formatTime(time));
    range.min = String(stretch.start);
    range.max = String(Math.max(stretch.end, stretch.start + 1e-9));
    range.valueAsNumber = time;
    range.setAttribute("aria-valuetext", formatTime(time));
    drawMarks();
  });
  store.log.watch(drawMarks);
  loop.isOn.watch((isOn) => setPressed(loopButton, isOn));
  return element;
}

/// The stretch of the loop with a handle at either end.
function makeBand(
  app: App,
  track: HTMLElement,
  known: () => Stretch,
): { element: HTMLElement; handles: HTMLElement[]; draw: () => void } {
  const { loop } = app;
  const element = h("div", { class: "loop-band" });
  const move = (end: "start" | "end", time: number): void => {
    const { start, end: last } = known();
    void loop.start({ ...loop.stretch.value, [end]: Math.min(last, Math.max(start, time)) });
  };
  const handles = (["start", "end"] as const).map((end) => {
    const label = end === "start" ? "Start of the loop" : "End of the loop";
    const handle: HTMLElement = h("div", {
      class: "loop-handle",
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      title: label,
      onpointerdown: (event: PointerEvent) => handle.setPointerCapture(event.pointerId),
      onpointermove: (event: PointerEvent) => {
        if (!handle.hasPointerCapture(event.pointerId)) return;
        const box = track.getBoundingClientRect();
        move(end, timeAt((event.clientX - box.left - 8) / (box.width - 16), known()));
      },
      onkeydown: (event: KeyboardEvent) => {
        const way = ["ArrowLeft", "ArrowRight"].indexOf(event.key);
        if (way < 0) return;
        event.preventDefault();
        event.stopPropagation();
        move(end, loop.stretch.value[end] + (2 * way - 1) * 0.01 * (known().end - known().start));
      },
    });
    return handle;
  });
  const draw = (): void => {
    const isOn = loop.isOn.value;
    const [from, to] = [loop.stretch.value.start, loop.stretch.value.end].map((time) => fractionOf(time, known()));
    element.hidden = !isOn;
    element.style.left = `${100 * from!}%`;
    element.style.width = `${100 * (to! - from!)}%`;
    handles.forEach((handle, i) => {
      const share = [from!, to!][i]!;
      handle.hidden = !isOn;
      handle.style.left = `calc(8px + ${share} * (100% - 16px))`;
      handle.setAttribute("aria-valuenow", String(loop.stretch.value[i === 0 ? "start" : "end"]));
    });
  };
  loop.isOn.watch(draw);
  loop.stretch.watch(draw);
  return { element, handles, draw };
}
