// Setup of the browser tests: `lockstep serve`, Debian's Chromium, and the page in it.
//
// LOCKSTEP  the command; default: the release build

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import type { Requests } from "../src/protocol.ts";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const LOCKSTEP = process.env.LOCKSTEP ?? `${WEB}../build/release/bin/lockstep`;
export const SCENARIOS = `${WEB}tests/scenarios/`;
export const SCENARIO = "pendulum.xml";
const SCREENSHOTS = `${WEB}tests/screenshots/`;
/// Software rendering takes most of a core; this image rate leaves time for the rest.
const IMAGES_PER_SECOND = 12;
const FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export interface Server {
  address: string;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/// Serves the test scenarios with further command-line arguments; default: on a free port.
export async function startServer({ port = 0, args = [] }: { port?: number; args?: string[] } = {}): Promise<Server> {
  const words = ["serve", "--root", SCENARIOS, "--port", String(port), ...args];
  const child = spawn(LOCKSTEP, words, { cwd: WEB, stdio: ["ignore", "pipe", "inherit"] });
  // A failing test must not leave a process behind.
  process.on("exit", () => child.kill("SIGKILL"));
  return { address: await addressOf(child), stop: () => stop(child) };
}

/// Runs the command to its end and returns what it prints.
export function runCommand(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(LOCKSTEP, args, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`lockstep ${args.join(" ")}: ${error ?? stderr}`);
  return stdout;
}

/// Values of a signal from the output of `lockstep run --log`, by time.
export function readLog(file: string, signal: string): Map<number, number> {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const column = head!.split(",").findIndex((name) => name.startsWith(`${signal} [`));
  const rows = lines.map((line) => line.split(",").map(Number));
  return new Map(rows.map((row) => [row[0]!, row[column]!]));
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout!.on("data", (data) => {
      output += data;
      const address = /http:\/\/\S+/.exec(output)?.[0];
      if (address) resolve(address);
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.on("exit", resolve));
  child.kill("SIGKILL"); // like a power failure
  await ended;
}

export interface PageOptions {
  width?: number;
  height?: number;
  isDark?: boolean;
  imagesPerSecond?: number;
  /// Renders fewer pixels than the window has, for tests where the image does not matter but its cost does.
  pixelRatio?: number;
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/// Opens the page; a script error fails the test that closes it.
export async function openPage(browser: Browser, address: string, options: PageOptions = {}): Promise<Page> {
  const { width = 1280, height = 720, isDark = false, imagesPerSecond = IMAGES_PER_SECOND, pixelRatio = 1 } = options;
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: isDark ? "dark" : "light",
    deviceScaleFactor: pixelRatio,
  });
  page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
  const url = new URL(address);
  url.searchParams.set("fps", String(imagesPerSecond));
  await page.goto(url.href);
  await page.waitForFunction(() => window.lockstep?.store.connection.value.state === "open");
  return page;
}

const errors: string[] = [];

export function takeErrors(): string[] {
  return errors.splice(0);
}

/// Opens a test scenario, a gallery scenario or a scenario text, and waits for its first image.
export async function openScenario(page: Page, what: Requests["open"]["fields"] = { path: SCENARIO }): Promise<void> {
  const last = await page.evaluate(() => window.lockstep.store.scene.value?.id);
  await page.evaluate((fields) => window.lockstep.request("open", fields), what);
  await page.waitForFunction((last) => window.lockstep.store.scene.value!.id !== last, last);
  await page.waitForFunction(() => window.lockstep.store.state.value !== null);
  await drawn(page);
}

/// Waits until the current state is on the canvas.
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { stats, view } = window.lockstep;
    (window as unknown as { before: number }).before = stats.frames;
    view.invalidate();
  });
  await page.waitForFunction(() => window.lockstep.stats.frames > (window as unknown as { before: number }).before);
}

/// Waits until the status matches.
export async function waitForState(page: Page, state: string): Promise<void> {
  await page.waitForFunction((wanted) => window.lockstep.store.status.value.state === wanted, state);
}

export async function waitForTime(page: Page, time: number): Promise<void> {
  await page.waitForFunction((wanted) => (window.lockstep.store.state.value?.time ?? -1) >= wanted, time);
}

/// Pauses and waits until the last state matches the status.
export async function pause(page: Page): Promise<number> {
  await page.evaluate(() => window.lockstep.request("pause"));
  await waitForState(page, "paused");
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === window.lockstep.store.status.value.step);
  return page.evaluate(() => window.lockstep.store.status.value.step);
}

/// The pixels of the 3D view as drawn now, kept in the page under a name; returns how many differ from another.
export async function compareImage(page: Page, name: string, other?: string): Promise<number> {
  return page.evaluate(
    ([name, other]) => {
      const kept = ((window as unknown as { images?: Record<string, Uint8ClampedArray> }).images ??= {});
      const { view } = window.lockstep;
      view.draw();
      const canvas = new OffscreenCanvas(view.canvas.width, view.canvas.height);
      const context = canvas.getContext("2d")!;
      context.drawImage(view.canvas, 0, 0);
      const now = context.getImageData(0, 0, canvas.width, canvas.height).data;
      kept[name] = now;
      const before = other ? kept[other]! : now;
      let count = 0;
      for (let i = 0; i < now.length; i += 4) {
        // A difference of a few levels is rounding.
        const away = [0, 1, 2].reduce((sum, k) => sum + Math.abs(now[i + k]! - before[i + k]!), 0);
        if (away > 24) ++count;
      }
      return count;
    },
    [name, other] as const,
  );
}

export interface Hinge {
  joint: string;
  signal: string;
  body: number;
}

/// The first measured hinge; the scenario under test has one.
export async function findHinge(page: Page): Promise<Hinge> {
  return page.evaluate(() => {
    const { joints, signals } = window.lockstep.store.scene.value!;
    for (const joint of joints) {
      const signal = signals.find(
        (each) => each.joint === joint.name && each.unit === "rad" && each.role === "measurement",
      );
      if (joint.type === "hinge" && signal) return { joint: joint.name, signal: signal.name, body: joint.body };
    }
    throw new Error("the scenario has no hinge with a signal");
  });
}

/// The angle of a hinge from the poses of its two bodies, rad.
export async function hingeAngle(page: Page, name: string): Promise<number> {
  return page.evaluate((name) => {
    const { scene, state } = window.lockstep.store;
    const joint = scene.value!.joints.find((each) => each.name === name)!;
    const turn = (body: number): number[] => [...state.value!.poses.subarray(body * 7 + 3, body * 7 + 7)];
    const [w1, x1, y1, z1] = turn(joint.body) as [number, number, number, number];
    const [w0, x0, y0, z0] = turn(Math.max(0, scene.value!.bodies[joint.body]!.parent)) as [
      number,
      number,
      number,
      number,
    ];
    const w = w0 * w1 + x0 * x1 + y0 * y1 + z0 * z1;
    const v = [
      w0 * x1 - x0 * w1 - y0 * z1 + z0 * y1,
      w0 * y1 + x0 * z1 - y0 * w1 - z0 * x1,
      w0 * z1 - x0 * y1 + y0 * x1 - z0 * w1,
    ];
    const along = v.reduce((sum, each, i) => sum + each * joint.axis[i]!, 0);
    return 2 * Math.atan2(along, w);
  }, name);
}

export async function pose(page: Page, body: number): Promise<number[]> {
  return page.evaluate((body) => [...window.lockstep.store.state.value!.poses.subarray(body * 7, body * 7 + 7)], body);
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}${name}.png` });
}
