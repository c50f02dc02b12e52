// The 3D view: owns the renderer and draws the latest state when something has changed, at a limited rate.

import {
  Box3,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  Matrix4,
  PCFShadowMap,
  Raycaster,
  Scene as Stage,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
  type Object3D,
} from "three";
import { h } from "../dom.ts";
import { Cell } from "../store.ts";
import { POSE_FLOATS, type StateMessage } from "../state_message.ts";
import type { Path, Scene } from "../protocol.ts";
import type { Batch } from "./batch.ts";
import { CameraRig, type Viewpoint } from "./camera.ts";
import { calcExtent, groundHeight } from "./extent.ts";
import { Grid } from "./grid.ts";
import { keepInView, trackedBodies } from "./keep_in_view.ts";
import { Lines, Overlays } from "./overlays.ts";
import { QualityControl, type Quality } from "./quality.ts";
import { sectionPlane } from "./section.ts";
import { defaultSettings, type ViewSettings } from "./settings.ts";
import { Shapes } from "./shapes.ts";
import { Stats } from "./stats.ts";
import { Traces } from "./traces.ts";
import { writePose } from "./transforms.ts";
import { makeWater } from "./water.ts";

export interface Hit {
  body: number;
  point: Vector3; // world
}

export interface ViewColors {
  background: Color;
  grid: Color;
  accent: Color;
  isDark: boolean;
}

const PULL_COLOR = 0xe8590c;
const SHADOW_TEXELS = 2048;

/// Everything created for one scene and disposed with it.
interface Content {
  scene: Scene;
  shapes: Shapes;
  overlays: Overlays;
  traces: Traces;
  bodies: Float32Array; // 16 numbers per body
  size: number;
  tracked: readonly number[];
  spheres: Sphere[]; // around the tracked bodies, in their frames
  water: ReturnType<typeof makeWater> | null;
}

function makeRenderer(): WebGLRenderer | null {
  try {
    const renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    renderer.shadowMap.type = PCFShadowMap;
    return renderer;
  } catch {
    return null;
  }
}

/// Most bodies are long and thin: a box of this share of the sphere around one is closer to it than the whole.
const FRAMED = 0.6;

function sphereOf(scene: Scene, state: StateMessage, meshes: Shapes["meshHalfSizes"], body: number): Sphere {
  const { center, radius } = calcExtent(scene, state.poses, meshes, body);
  const pose = new Float64Array(16);
  writePose(pose, 0, state.poses, body * POSE_FLOATS);
  return new Sphere(center.applyMatrix4(new Matrix4().fromArray(pose).invert()), radius);
}

function makeNoWebGL(): HTMLElement {
  const text = "This browser cannot draw 3D: WebGL is switched off or not available. Plots and controls work as usual.";
  return h("p", { class: "no-webgl", role: "alert" }, text);
}

const FULL_QUALITY: Quality = { shadows: true, pixels: 1 };
const MS_TO_REST = 300;

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly rig: CameraRig;
  readonly stats = new Stats();
  /// The camera follows what moves, until the user takes it.
  readonly keepsInView = new Cell(true);
  /// Null where the browser cannot draw 3D: everything else of the page works.
  readonly #renderer: WebGLRenderer | null;
  readonly #stage = new Stage();
  readonly #sky = new HemisphereLight(0xffffff, 0x8d8d8d, 1.4);
  readonly #sun = new DirectionalLight(0xffffff, 2.2);
  readonly #grid = new Grid();
  readonly #pullLine = new Lines(PULL_COLOR, 1);
  readonly #raycaster = new Raycaster();
  readonly #failed: (text: string) => void;
  readonly #msPerFrame: number;
  #content: Content | null = null;
  #scene: Scene | null = null;
  #state: StateMessage | null = null;
  #isStateNew = false;
  #isDirty = true;
  #lastDraw = 0;
  #settings: ViewSettings = defaultSettings;
  #hidden: ReadonlySet<string> = new Set();
  #traced: readonly number[] = [];
  #selected: number | null = null;
  #accent = new Color();
  #ground = new Color();
  #plans: readonly Path[] = [];
  #section = { axis: "", share: 0.5 };
  readonly #quality: QualityControl;
  #keepsCamera = false;
  readonly #readers: (() => void)[] = [];

  /// Draws into `container`, at most `framesPerSecond` times a second. `failed` receives error texts for the user.
  constructor(container: HTMLElement, framesPerSecond: number, failed: (text: string) => void) {
    this.#failed = failed;
    this.#msPerFrame = 1000 / framesPerSecond;
    this.#quality = new QualityControl(this.#msPerFrame);
    this.#renderer = makeRenderer();
    this.canvas = this.#renderer?.domElement ?? document.createElement("canvas");
    container.append(this.canvas);
    if (!this.#renderer) container.append(makeNoWebGL());
    this.rig = new CameraRig(this.canvas, () => this.invalidate());
    this.rig.controls.addEventListener("start", () => this.takeCamera());
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(SHADOW_TEXELS, SHADOW_TEXELS);
    this.#sun.shadow.bias = -0.0005;
    this.#pullLine.object.renderOrder = 3;
    this.#pullLine.object.material.depthTest = false;
    this.#stage.add(this.#sky, this.#sun, this.#sun.target, this.#grid.mesh, this.#pullLine.object);
    new ResizeObserver(() => this.#resize(container)).observe(container);
    this.#resize(container);
    requestAnimationFrame((now) => this.#tick(now));
  }

  /// The user moves the camera: it stays where they leave it.
  takeCamera(): void {
    this.#keepsCamera = true;
    this.keepsInView.set(false);
  }

  invalidate(): void {
    this.#isDirty = true;
  }

  /// Shows another scene once its first state has arrived. The camera stays where it is if `keepsCamera`.
  setScene(scene: Scene | null, keepsCamera: boolean): void {
    // If the last scene was never drawn, there is no camera pose to keep.
    this.#keepsCamera = keepsCamera && (this.#content !== null || this.#keepsCamera);
    if (!keepsCamera) this.keepsInView.set(true);
    this.#disposeContent();
    this.#scene = scene;
    this.#state = null;
    this.rig.forgetBody();
    this.invalidate();
  }

  setState(state: StateMessage): void {
    this.#state = state;
    this.#isStateNew = true;
    this.#isDirty = true;
  }

  setSettings(settings: ViewSettings): void {
    this.#settings = settings;
    this.#apply();
  }

  setHidden(hidden: ReadonlySet<string>): void {
    this.#hidden = hidden;
    this.#apply();
  }

  setTraced(bodies: readonly number[]): void {
    this.#traced = bodies;
    this.#apply();
  }

  setSelected(body: number | null): void {
    this.#selected = body;
    this.rig.forgetBody();
    this.#apply();
  }

  setPlans(paths: readonly Path[]): void {
    this.#plans = paths;
    this.#content?.traces.setPlans(paths);
    this.#apply();
  }

  setColors(colors: ViewColors): void {
    this.#stage.background = colors.background;
    this.#stage.fog = new Fog(colors.background, 1, 100);
    this.#grid.setColor(colors.grid);
    this.#accent = colors.accent;
    this.#ground = colors.background;
    this.#sky.intensity = colors.isDark ? 1.0 : 1.5;
    this.#sun.intensity = colors.isDark ? 1.8 : 2.3;
    this.#apply();
  }

  get gridCell(): number {
    return this.#grid.cell;
  }

  get gridIsShown(): boolean {
    return this.#grid.mesh.visible;
  }

  /// Where the user has put the camera; null if it is where the page has put it.
  get cameraPose(): { position: number[]; target: number[] } | null {
    if (!this.#keepsCamera) return null;
    return { position: this.rig.camera.position.toArray(), target: this.rig.controls.target.toArray() };
  }

  setCameraPose({ position, target }: { position: number[]; target: number[] }): void {
    this.#keepsCamera = true;
    this.rig.camera.position.fromArray(position);
    this.rig.controls.target.fromArray(target);
    this.rig.controls.update();
    this.invalidate();
  }

  /// Frees what belongs to the graphics driver. The view must not be used afterwards.
  dispose(): void {
    this.#isDisposed = true;
    this.#disposeContent();
    this.rig.controls.dispose();
    this.#renderer?.dispose();
    this.#renderer?.forceContextLoss();
  }

  /// Adds something that is drawn besides the scene. Borrowed.
  addObject(object: Object3D): void {
    this.#stage.add(object);
  }

  get section(): { axis: string; share: number } {
    return this.#section;
  }

  /// Cuts the scene across an axis of the world ("x", "y" or "z"; "" for none), at a fraction of its extent.
  setSection(section: { axis: string; share: number }): void {
    this.#section = section;
    const { center, half } = this.rig.extent;
    if (this.#renderer) {
      this.#renderer.clippingPlanes = section.axis ? [sectionPlane(section.axis, section.share, center, half)] : [];
    }
    this.invalidate();
  }

  /// Calls `reader` after every drawn image.
  onDrawn(reader: () => void): void {
    this.#readers.push(reader);
  }

  /// The line from a body to the pointer that pulls it; null removes it.
  setPullLine(ends: readonly number[] | null): void {
    this.#pullLine.write(ends ?? [], ends ? 6 : 0);
    this.invalidate();
  }

  #apply(): void {
    this.invalidate();
    this.#isStateNew = true; // newly visible items need their transforms
    const settings = this.#settings;
    if (this.#renderer) this.#renderer.shadowMap.enabled = settings.shadows;
    this.#sun.castShadow = settings.shadows;
    this.#grid.mesh.visible = settings.grid;
    if (!this.#content) return;
    const { shapes, overlays, traces } = this.#content;
    shapes.setSettings(settings);
    shapes.setHidden(this.#hidden);
    shapes.setColors(this.#selected, this.#accent, this.#ground);
    overlays.setSettings(settings);
    traces.setBodies(this.#traced);
    traces.showPlans(settings.plans);
  }

  #disposeContent(): void {
    if (!this.#content) return;
    const { shapes, overlays, traces } = this.#content;
    this.#stage.remove(shapes.group, overlays.group, traces.group);
    const { water } = this.#content;
    if (water) {
      this.#stage.remove(water);
      water.geometry.dispose();
      water.material.dispose();
    }
    shapes.dispose();
    overlays.dispose();
    traces.dispose();
    this.#content = null;
  }

  /// Sizes depend on the body poses, so the content is created with the first state.
  #makeContent(scene: Scene, state: StateMessage): Content {
    const { radius } = calcExtent(scene, state.poses, new Map());
    const tracked = trackedBodies(scene);
    const content: Content = {
      scene,
      shapes: new Shapes(scene, radius, () => this.#meshArrived(), this.#failed),
      overlays: new Overlays(scene, radius),
      traces: new Traces(scene, radius),
      bodies: new Float32Array(scene.bodies.length * 16),
      size: radius,
      tracked,
      spheres: tracked.map((body) => sphereOf(scene, state, new Map(), body)),
      water: typeof scene.water_level === "number" ? makeWater(scene.water_level, radius) : null,
    };
    if (content.water) this.#stage.add(content.water);
    this.#stage.add(content.shapes.group, content.overlays.group, content.traces.group);
    content.traces.setPlans(this.#plans);
    return content;
  }

  readonly #swept = new Box3();

  #keepInView({ tracked, spheres, bodies }: Content): void {
    if (!this.keepsInView.value || this.rig.mode !== "free" || tracked.length === 0) return;
    this.#swept.makeEmpty();
    const [point, half, pose] = [new Vector3(), new Vector3(), new Matrix4()];
    tracked.forEach((body, i) => {
      const { center, radius } = spheres[i]!;
      point.copy(center).applyMatrix4(pose.fromArray(bodies, body * 16));
      half.setScalar(FRAMED * radius);
      this.#swept.expandByPoint(point.clone().sub(half)).expandByPoint(point.add(half));
    });
    if (keepInView(this.rig.camera, this.rig.controls.target, this.#swept)) this.rig.moved();
  }

  #fit(content: Content, state: StateMessage): void {
    this.#measure(content, state);
    if (!this.#keepsCamera) this.rig.look("home");
  }

  /// Fits camera, light and ground to the current extent.
  #measure(content: Content, state: StateMessage): void {
    const extent = calcExtent(content.scene, state.poses, content.shapes.meshHalfSizes);
    content.size = extent.radius;
    this.rig.setExtent(extent);
    this.#grid.setGround(extent.radius, groundHeight(content.scene, extent));
    this.#setShadowSize(2.2 * extent.radius);
    if (this.#section.axis) this.setSection(this.#section);
  }

  #meshArrived(): void {
    if (this.#content && this.#state) {
      const [content, state] = [this.#content, this.#state];
      const meshes = content.shapes.meshHalfSizes;
      content.spheres = content.tracked.map((body) => sphereOf(content.scene, state, meshes, body));
      this.#fit(content, state);
    }
    this.#apply();
  }

  #setShadowSize(reach: number): void {
    const camera = this.#sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0;
    camera.far = 6 * reach;
    camera.updateProjectionMatrix();
    this.#sun.shadow.normalBias = reach / 400;
  }

  #isDisposed = false;

  #tick(now: number): void {
    if (this.#isDisposed) return;
    requestAnimationFrame((next) => this.#tick(next));
    // Tolerate half a millisecond: the display clock differs from ours.
    if (!this.#isDirty || now - this.#lastDraw < this.#msPerFrame - 0.5) return;
    this.#lastDraw = now;
    const isMoving = this.#isStateNew && this.#content !== null;
    if (isMoving) this.#quality.moved(now);
    this.#draw(isMoving ? this.#quality.quality : FULL_QUALITY);
    // What was drawn with less is drawn again when nothing moves any more.
    clearTimeout(this.#rest);
    if (this.#drawn !== FULL_QUALITY) this.#rest = setTimeout(() => this.invalidate(), MS_TO_REST);
  }

  #rest: ReturnType<typeof setTimeout> | undefined;
  #drawn: Quality = FULL_QUALITY;

  /// With all pixels and shadows.
  draw(): void {
    this.#draw(FULL_QUALITY);
  }

  #draw(quality: Quality): void {
    this.#isDirty = false;
    if (quality.pixels !== this.#drawn.pixels || quality.shadows !== this.#drawn.shadows) {
      this.#renderer?.setPixelRatio(quality.pixels * Math.min(2, window.devicePixelRatio));
      this.#sun.castShadow = this.#settings.shadows && quality.shadows;
    }
    this.#drawn = quality.pixels === 1 && quality.shadows ? FULL_QUALITY : quality;
    this.stats.place(() => this.#place());
    const start = performance.now();
    this.#renderer?.render(this.#stage, this.rig.camera);
    this.stats.drawn(performance.now() - start);
    for (const reader of this.#readers) reader();
    if (this.#state) {
      this.stats.time = this.#state.time;
      this.stats.step = this.#state.step;
    }
  }

  #place(): void {
    const state = this.#state;
    if (!this.#scene || !state || state.poses.length < this.#scene.bodies.length * POSE_FLOATS) return;
    if (!this.#content) {
      this.#content = this.#makeContent(this.#scene, state);
      this.#fit(this.#content, state);
      this.#apply();
    }
    const { shapes, overlays, traces, bodies } = this.#content;
    if (this.#isStateNew) {
      this.#isStateNew = false;
      for (let i = 0; i < this.#scene.bodies.length; ++i) writePose(bodies, i * 16, state.poses, i * POSE_FLOATS);
      shapes.update(bodies);
      overlays.update(bodies, state.contacts, state.rays);
      traces.update(bodies, state.time);
      if (this.#selected !== null) this.rig.track(bodies, this.#selected * 16);
      this.#keepInView(this.#content);
    }
    this.#placeLight(this.#content.size);
  }

  #placeLight(size: number): void {
    const target = this.rig.controls.target;
    this.#sun.target.position.copy(target);
    this.#sun.position.set(target.x + 2.2 * size, target.y - 1.6 * size, target.z + 5 * size);
    this.#grid.moveTo(target.x, target.y);
    const fog = this.#stage.fog as Fog;
    const away = this.rig.camera.position.distanceTo(target);
    fog.near = away + 6 * size;
    fog.far = away + 40 * size;
  }

  /// Picks what is under a point of the window.
  pick(clientX: number, clientY: number): Hit | null {
    if (!this.#content) return null;
    this.setRay(clientX, clientY);
    const meshes = this.#content.shapes.group.children.filter((mesh) => mesh.visible);
    const hit = this.#raycaster.intersectObjects(meshes, false)[0];
    if (!hit || hit.instanceId === undefined) return null;
    const batch = hit.object.userData.batch as Batch;
    return { body: batch.instances[hit.instanceId]!.body, point: hit.point };
  }

  setRay(clientX: number, clientY: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((clientY - box.top) / box.height) * 2;
    this.#raycaster.setFromCamera(new Vector2(x, y), this.rig.camera);
    return this.#raycaster;
  }

  /// The transform of a body as drawn, 16 numbers. Borrowed.
  bodyMatrix(body: number): Float32Array | null {
    return this.#content?.bodies.subarray(body * 16, body * 16 + 16) ?? null;
  }

  /// The current extent of the scene.
  look(viewpoint: Viewpoint): void {
    if (this.#content && this.#state) this.#measure(this.#content, this.#state);
    this.rig.look(viewpoint);
    this.invalidate();
  }

  focusBody(body: number): void {
    if (!this.#content || !this.#state) return;
    const { scene, shapes } = this.#content;
    this.rig.focus(calcExtent(scene, this.#state.poses, shapes.meshHalfSizes, body));
    this.invalidate();
  }

  /// Projects a point of a body into the window, in pixels.
  project(point: Vector3): Vector2 {
    const box = this.canvas.getBoundingClientRect();
    const p = point.clone().project(this.rig.camera);
    return new Vector2(box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height);
  }

  /// The current image as PNG.
  async takeScreenshot(): Promise<Blob> {
    this.draw(); // the drawing buffer is valid only until this task ends
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("could not create the image"))));
    });
  }

  #resize(container: HTMLElement): void {
    const { clientWidth, clientHeight } = container;
    if (clientWidth === 0 || clientHeight === 0 || this.#isDisposed) return;
    this.#renderer?.setSize(clientWidth, clientHeight);
    this.rig.resize(clientWidth, clientHeight);
    this.draw();
  }
}
