// Records the 3D view as a video while the run is watched. `lockstep render` makes videos with exact frame times.

import type { App } from "../app.ts";
import { saveFile } from "../dom.ts";
import { Cell } from "../store.ts";

/// Formats that browsers can write, the most widely readable first.
const TYPES = ["video/mp4;codecs=avc1.42E01F", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const FRAMES_PER_SECOND = 30;
const BITS_PER_SECOND = 8_000_000;

export class VideoRecorder {
  readonly isOn = new Cell(false);
  readonly #app: App;
  #recorder: MediaRecorder | null = null;

  constructor(app: App) {
    this.#app = app;
  }

  toggle(): void {
    if (this.#recorder) this.#recorder.stop();
    else this.#start();
  }

  #start(): void {
    const { view, store } = this.#app;
    const tell = (text: string): void => this.#app.tell(text);
    const type = TYPES.find((each) => globalThis.MediaRecorder?.isTypeSupported(each));
    if (!type) return tell("This browser cannot record videos; use `lockstep render`.");
    const stream = view.canvas.captureStream(FRAMES_PER_SECOND);
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      this.#recorder = null;
      this.isOn.set(false);
      const extension = type.startsWith("video/mp4") ? "mp4" : "webm";
      saveFile(new Blob(parts, { type }), `${store.scene.value?.name ?? "lockstep"}.${extension}`);
    };
    recorder.onerror = () => tell("The video could not be recorded.");
    recorder.start(1000); // in parts, so that a long video does not need one large buffer
    this.#recorder = recorder;
    this.isOn.set(true);
    view.invalidate(); // a paused run is a still image, but not an empty video
  }
}
