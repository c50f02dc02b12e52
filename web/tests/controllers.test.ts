// A controller outside: its true state in the page, the same port after a reset, and the planned duration of a run.

import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { openScenario, screenshot, waitForState } from "./harness.ts";
import { usePage } from "./suite.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const suite = usePage({}, { gallery: "arms/wired-arm" });
let controller: ChildProcess | undefined;
afterEach(() => void controller?.kill("SIGKILL"));

function start(address: string): ChildProcess {
  const env = { ...process.env, PYTHONPATH: `${ROOT}clients/python`, LOCKSTEP_ADDRESS: address };
  const child = spawn("python3", [`${ROOT}examples/controllers/hold_angle.py`], { env, stdio: "ignore" });
  process.on("exit", () => child.kill("SIGKILL"));
  return child;
}

const addressOf = (page: Page): Promise<string> =>
  page.evaluate(() => window.lockstep.store.status.value.connections[0]!.address);
const waitForConnection = async (page: Page, isConnected: boolean): Promise<void> => {
  await page.waitForFunction(
    (wanted) => window.lockstep.store.status.value.connections[0]!.connected === wanted,
    isConnected,
  );
};
const eventsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    window.lockstep.store.log.value.map(({ text }) => text).filter((text) => text.includes("controller")),
  );

it("says who is missing, notices a killed controller at once, and keeps the port", async () => {
  const { page } = suite;
  const address = await addressOf(page);
  await page.locator(".notice.waiting code").filter({ hasText: address }).waitFor();
  // Connected before the run starts: the state is that of the socket.
  controller = start(address);
  await waitForConnection(page, true);
  await page.locator(".notice.waiting").waitFor({ state: "detached" });
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.lockstep.store.status.value.step > 100);
  controller.kill("SIGKILL");
  // By the socket, not by a timeout.
  await waitForConnection(page, false);
  await page.locator(".statusbar .bad").filter({ hasText: "Connections 0/1" }).waitFor();
  await expect
    .poll(() => eventsOf(page))
    .toEqual(["connection 'arm/plc': controller connected", "connection 'arm/plc': controller lost"]);
  controller = start(address);
  await waitForConnection(page, true);
  await expect.poll(async () => (await eventsOf(page)).at(-1)).toMatch(/controller reconnected$/);
  controller.kill("SIGKILL");
  await page.evaluate(() => window.lockstep.request("reset"));
  await page.waitForFunction(() => window.lockstep.store.status.value.step === 0);
  await waitForConnection(page, false);
  expect(await addressOf(page)).toBe(address);
  await page.evaluate(() => window.lockstep.request("reload"));
  await waitForState(page, "paused");
  expect(await addressOf(page)).toBe(address);
});

it("has a real-time factor of 0 while it waits", async () => {
  const { page } = suite;
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.lockstep.store.status.value.waiting!.length === 1);
  await page.locator(".notice.waiting").filter({ hasText: "Waiting for" }).waitFor();
  const { rtf, step } = await page.evaluate(() => window.lockstep.store.status.value);
  expect([rtf, step]).toEqual([0, 0]);
  expect(await page.locator(".statusbar [aria-label=RTF]").textContent()).toMatch(/^0 /);
  await screenshot(page, "waiting");
  await page.keyboard.press("Space");
  await waitForState(page, "paused");
});

it("starts the delta robot with its controller by one click, with its curves", async () => {
  const { page } = suite;
  await page.keyboard.press("o");
  await page.locator(".card").filter({ hasText: "starts its controller" }).first().click();
  await page.waitForFunction(() => (window.lockstep.store.state.value?.time ?? 0) > 1);
  const { connections, rtf } = await page.evaluate(() => window.lockstep.store.status.value);
  expect(connections.map(({ connected }) => connected)).toEqual([true]);
  expect(rtf).toBeGreaterThan(0);
  // What the controller reads and what it writes: angles that move, currents that flow.
  expect(await page.locator(".plot").count()).toBe(2);
  const spread = await page.evaluate(() => {
    const { history } = window.lockstep;
    return ["delta/motor1/angle", "delta/motor1/current"].map((name) => {
      const values = [...(history.column(name) ?? [])].slice(0, history.length).filter(Number.isFinite);
      return Math.max(...values) - Math.min(...values);
    });
  });
  expect(spread[0]).toBeGreaterThan(0.1); // rad
  expect(spread[1]).toBeGreaterThan(1); // A
  await screenshot(page, "delta");
  await openScenario(page);
});

it("pauses at the planned duration, and continues by Space", async () => {
  const { page } = suite;
  const text = `<scenario name="short" step="1 ms" duration="0.5 s"><ground/>
    <object name="ball" position="0 0 1"><sphere radius="0.1" mass="1"/></object></scenario>`;
  await openScenario(page, { text, name: "short.xml" });
  await page.keyboard.press("Space");
  await page.locator(".notice.planned").filter({ hasText: "Space continues" }).waitFor();
  expect(await page.evaluate(() => window.lockstep.store.status.value.step)).toBe(500);
  const mark = (await page.locator(".marks .planned").boundingBox())!;
  const track = (await page.locator(".timeline .track").boundingBox())!;
  expect(Math.abs(mark.x - (track.x + track.width))).toBeLessThan(12);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.lockstep.store.status.value.step > 600);
  await page.locator(".notice.planned").waitFor({ state: "detached" });
});
