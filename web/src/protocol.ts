// The viewer protocol (docs/viewer-protocol.md) as types. Lengths in metres, angles in radians, time in seconds,
// quaternions as w, x, y, z. A limit that is absent or null means unlimited.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export type Limit = number | null | undefined;

export interface Body {
  name: string;
  parent: number;
  mass: number;
  center: Vec3;
  /// About the centre, in the body, kg m²: xx, yy, zz, xy, xz, yz.
  inertia?: number[];
  movable: boolean;
  robot?: string | null;
  /// Of the element of the scenario that it was made from, in all lists of a scene.
  xpath?: string;
}

export type Geometry =
  | { kind: "plane" }
  | { kind: "box"; size: Vec3 }
  | { kind: "sphere"; radius: number }
  | { kind: "capsule" | "cylinder"; radius: number; length: number }
  | { kind: "mesh"; mesh: number }
  | { kind: "heightmap"; heightmap: number; size: Vec3 };

export interface Shape {
  name: string;
  body: number;
  position: Vec3;
  orientation: Quat;
  color: [number, number, number, number];
  visible: boolean;
  collide: boolean;
  material?: string | null;
  geometry: Geometry;
  xpath?: string;
}

export interface Joint {
  name: string;
  type: string;
  body: number;
  position: Vec3;
  axis: Vec3;
  lower?: Limit;
  upper?: Limit;
  detachable?: boolean;
  unit?: string;
  xpath?: string;
}

export interface Site {
  name: string;
  body: number;
  position: Vec3;
  orientation: Quat;
  xpath?: string;
}

export interface Pair {
  name: string;
  a: number;
  b: number;
}

export interface Device {
  name: string;
  category: string;
  kind: string;
  robot?: string | null;
  signals: string[];
  xpath?: string;
}

export type Role = "measurement" | "command" | "internal" | "timing";

export interface Signal {
  name: string;
  unit: string;
  role: Role;
  lower?: Limit;
  upper?: Limit;
  joint?: string | null;
}

export interface Asset {
  url: string;
}

export interface Scene {
  id: number;
  name: string;
  description: string;
  path: string;
  step: number;
  /// Time between two rows of the stream, s.
  row_period: number;
  duration?: Limit;
  gravity: Vec3;
  /// z of the surface of the water, m.
  water_level?: Limit;
  bodies: Body[];
  shapes: Shape[];
  meshes: Asset[];
  heightmaps: Asset[];
  joints: Joint[];
  sites: Site[];
  loops: Pair[];
  springs: Pair[];
  devices: Device[];
  signals: Signal[];
  /// Signals to plot at first, one list per plot.
  plots?: string[][];
}

export interface Connection {
  name: string;
  address: string;
  connected: boolean;
  controller: string;
  problem: string;
  events: ConnectionEvent[];
  late: number;
  missed: number;
  lost: number;
  duplicate: number;
  bad: number;
  reconnects: number;
  round_trip: number;
  round_trip_p99: number;
  round_trip_worst: number;
  round_trip_worst_at: number;
  round_trip_histogram: number[];
  jitter: number;
  jitter_worst: number;
  jitter_histogram: number[];
  command_age: number | null;
  command_wall_age: number | null;
}

export interface ConnectionEvent {
  time: number;
  event: string;
  text: string;
}

export interface Snapshot {
  name: string;
  time: number;
  step: number;
}

export interface Solver {
  iterations: number;
  contacts: number;
  constraint_rows: number;
  penetration: number; // m
  loop_error: number; // m
}

export type RunState = "empty" | "paused" | "running" | "ended" | "failed";

export interface Status {
  state: RunState;
  time: number;
  step: number;
  rtf: number;
  speed: number | null;
  /// Paused at the planned duration; play continues.
  at_planned_end?: boolean;
  /// Connections whose controller the run waits for.
  waiting?: string[];
  overruns: number;
  /// Steps that could overrun: those of a run in real time.
  paced_steps: number;
  viewers: number;
  outcome?: string | null;
  energy?: Limit;
  solver?: Solver | null;
  connections: Connection[];
  recording?: { start: number; end: number } | null;
  /// A recording is shown: read-only.
  replay?: boolean;
  snapshots: Snapshot[];
}

export interface ScenarioFile {
  path: string;
  name: string;
  description: string;
}

export interface GalleryItem {
  name: string;
  title?: string;
  description: string;
  /// Opening it starts its controller.
  controller?: boolean;
  thumbnail: string | null;
}

export interface Attribute {
  xpath: string;
  name: string;
  value: string; // as in the file
  number: number | null; // the value in `unit`
  unit: string;
  min?: Limit;
  max?: Limit;
  type?: "number" | "integer" | "time";
  step?: Limit; // distance between two allowed values
  doc?: string;
}

export interface Path {
  name: string;
  points: Vec3[];
}

export interface Diagnostic {
  file: string;
  line: number;
  column: number;
  severity: "error" | "warning" | "note";
  text: string;
}

export interface Subscription {
  signals: string[];
  poses: boolean;
  contacts: boolean;
  rays: boolean;
  rate: number;
}

type Nothing = Record<never, never>;

/// Parameters of each request, and the fields of its answer besides `ok`.
export interface Requests {
  hello: { fields: { token?: string }; answer: { version: string; scene: Scene | null; status: Status } };
  files: { fields: Nothing; answer: { files: ScenarioFile[]; gallery: GalleryItem[] } };
  open: {
    fields:
      { path: string } | { gallery: string } | { text: string; name: string } | { recording: string; name: string }; // base64
    answer: Nothing;
  };
  reload: { fields: Nothing; answer: Nothing };
  ready: { fields: Nothing; answer: Nothing };
  source: { fields: Nothing; answer: { text: string; path: string } };
  play: { fields: { for?: number }; answer: Nothing };
  pause: { fields: Nothing; answer: Nothing };
  step: { fields: { count: number }; answer: Nothing };
  speed: { fields: { factor: number | null }; answer: Nothing };
  reset: { fields: Nothing; answer: Nothing };
  seek: { fields: { time: number }; answer: Nothing };
  save: { fields: { name: string }; answer: { snapshots: Snapshot[] } };
  delete: { fields: { name: string }; answer: { snapshots: Snapshot[] } };
  load: { fields: { name: string; data?: string }; answer: Nothing }; // data: an uploaded snapshot, base64
  download: {
    fields: { what: "snapshot" | "recording" | "scenario" | "html"; name?: string };
    answer: { url: string };
  };
  image: { fields: { sensor: string }; answer: { width: number; height: number; url: string } };
  set: { fields: { signal: string; value: number }; answer: Nothing };
  joint: { fields: { joint: string; position: number }; answer: Nothing };
  attach: { fields: { joint: string; attached: boolean }; answer: Nothing };
  pull: {
    fields: { body: string; point?: Vec3; target: Vec3 | null; stiffness?: number };
    answer: { stiffness?: number };
  };
  edit: { fields: { xpath: string; value: string }; answer: { restarted: boolean } };
  attributes: { fields: { path: string }; answer: { attributes: Attribute[] } };
  subscribe: { fields: Subscription; answer: Nothing };
  plan: { fields: Nothing; answer: { paths: Path[] } };
  events: { fields: Nothing; answer: { events: { time: number; text: string }[] } };
  formula: { fields: { text: string }; answer: { unit: string } };
  rows: {
    fields: { signals: readonly string[]; from: number; to: number };
    answer: { rows: (number | null)[][]; complete: boolean };
  };
}

export type Push =
  | { push: "scene"; scene: Scene | null }
  | { push: "status"; status: Status }
  | { push: "event"; step: number; time: number; text: string }
  | { push: "notice"; text: string } // of what another viewer did
  | { push: "warning"; text: string };

/// A rejected request. For scenario errors it carries `diagnostics` and the text they refer to.
export class RequestError extends Error {
  readonly diagnostics: Diagnostic[];
  readonly source: string | undefined;
  constructor(message: string, diagnostics: Diagnostic[] = [], source?: string) {
    super(message);
    this.diagnostics = diagnostics;
    this.source = source;
  }
}
