// The toolbar of the 3D view: visibility, cameras, pull tool, screenshot.

import type { App } from "../app.ts";
import { h, saveFile } from "../dom.ts";
import type { CameraMode, Viewpoint } from "../scene/camera.ts";
import { sectionControls } from "../scene/section.ts";
import { settingNames, type ViewSettings } from "../scene/settings.ts";
import { VideoRecorder } from "../scene/video.ts";
import { checkbox, iconButton, menu, setPressed } from "../widgets.ts";

const MODES: Record<CameraMode, string> = {
  free: "Free: orbit around the target",
  follow: "Follow the selected body",
  ride: "Ride on the selected body",
};
const VIEWPOINTS: Record<Viewpoint, string> = {
  home: "Home",
  front: "Front",
  back: "Back",
  side: "Side",
  left: "Left",
  top: "Top",
  bottom: "Bottom",
};

export function toggleSetting(app: App, name: keyof ViewSettings): void {
  app.settings.update((settings) => ({ ...settings, [name]: !settings[name] }));
}

export async function takeScreenshot(app: App): Promise<void> {
  saveFile(await app.view.takeScreenshot(), `${app.store.scene.value?.name ?? "lockstep"}.png`);
}

export function makeViewBar(app: App): HTMLElement {
  const shown = iconButton("layers", "Visibility", () => undefined);
  menu(shown, "Visibility", () => [
    ...Object.entries(settingNames).map(([name, label]) => {
      const key = name as keyof ViewSettings;
      return checkbox(label, app.settings.value[key], (isOn) =>
        app.settings.update((old) => ({ ...old, [key]: isOn })),
      );
    }),
    ...sectionControls(app),
  ]);
  const ruler = iconButton("ruler", "Measure distances and angles (M)", () => app.isMeasuring.update((isOn) => !isOn));
  app.isMeasuring.watch((isOn) => setPressed(ruler, isOn));
  const video = new VideoRecorder(app);
  const recordButton = iconButton("record", "Record a video of the view", () => video.toggle());
  video.isOn.watch((isOn) => setPressed(recordButton, isOn));
  const camera = iconButton("video", "Camera", () => undefined);
  menu(camera, "Camera", (close) => cameraMenu(app, close));
  const wire = iconButton("wire", "Wireframe (W)", () => toggleSetting(app, "wireframe"));
  const pull = iconButton("hand", "Pull bodies with the mouse (P); also Alt or Ctrl + drag", () =>
    app.isPulling.update((isOn) => !isOn),
  );
  const keep = iconButton("follow", "Keep what moves in view", () => app.view.keepsInView.update((isOn) => !isOn));
  app.view.keepsInView.watch((isOn) => setPressed(keep, isOn));
  app.settings.watch((settings) => setPressed(wire, settings.wireframe));
  app.isPulling.watch((isOn) => setPressed(pull, isOn));
  app.store.isReplay.watch((isReplay) => (pull.hidden = isReplay));
  return h(
    "div",
    { class: "viewbar", role: "toolbar", "aria-label": "3D view", "aria-orientation": "vertical" },
    shown,
    wire,
    camera,
    keep,
    iconButton("focus", "Show everything (H)", () => app.view.look("home")),
    pull,
    ruler,
    recordButton,
    iconButton("camera", "Save an image (C)", () => void takeScreenshot(app)),
  );
}

function cameraMenu(app: App, close: () => void): Node[] {
  const modes = Object.entries(MODES).map(([mode, label]) => {
    const input = h("input", { type: "radio", name: "camera", checked: app.cameraMode.value === mode });
    input.addEventListener("change", () => app.cameraMode.set(mode as CameraMode));
    return h("label", { class: "check" }, input, label);
  });
  const points = Object.entries(VIEWPOINTS).map(([name, label]) => {
    const look = (): void => {
      app.cameraMode.set("free");
      app.view.look(name as Viewpoint);
      close();
    };
    return h("button", { type: "button", onclick: look }, label);
  });
  return [...modes, h("div", { class: "row" }, ...points)];
}
