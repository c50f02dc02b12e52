// View settings: what is drawn, and how.

import type { OverlaySettings } from "./overlays.ts";

export interface ViewSettings extends OverlaySettings {
  visual: boolean;
  collision: boolean;
  wireframe: boolean;
  shadows: boolean;
  grid: boolean;
  transparent: boolean;
  labels: boolean;
  plans: boolean;
}

export const defaultSettings: ViewSettings = {
  visual: true,
  collision: false,
  wireframe: false,
  shadows: true,
  grid: true,
  transparent: false,
  labels: false,
  frames: false,
  axes: false,
  centers: false,
  inertia: false,
  contacts: false,
  rays: true,
  springs: true,
  plans: true,
};

export const settingNames: Record<keyof ViewSettings, string> = {
  visual: "Visual shapes",
  collision: "Collision shapes",
  wireframe: "Wireframe",
  shadows: "Shadows",
  grid: "Ground grid",
  transparent: "Transparent bodies",
  labels: "Names",
  frames: "Body frames",
  axes: "Joint axes",
  centers: "Centres of mass",
  inertia: "Inertia boxes",
  contacts: "Contact forces",
  rays: "Sensor rays",
  springs: "Springs and loops",
  plans: "Planned paths",
};
