import { expect, it } from "vitest";
import { decodeState } from "./state_message.ts";
import { encodeState } from "./state_message_testing.ts";
import type { Scene } from "./protocol.ts";
import { Cell, Store } from "./store.ts";

function scene(id: number, path: string): Scene {
  const lists = { bodies: [], shapes: [], meshes: [], heightmaps: [], joints: [], sites: [], loops: [], springs: [] };
  return {
    id,
    path,
    name: path,
    description: "",
    row_period: 0.001,
    step: 0.001,
    gravity: [0, 0, -9.81],
    ...lists,
    devices: [],
    signals: [],
  };
}

function frameOf(id: number) {
  return decodeState(encodeState({ scene: id, step: 1, time: 0.5, hasGap: false, signalCount: 0, rows: [] }));
}

it("calls readers with the value, and then only on changes", () => {
  const cell = new Cell(1);
  const seen: number[] = [];
  const stop = cell.watch((value) => seen.push(value));
  cell.set(1);
  cell.set(2);
  stop();
  cell.set(3);
  expect(seen).toEqual([1, 2]);
});

it("accepts only states of the current scene", () => {
  const store = new Store();
  expect(store.takeState(frameOf(1))).toBe(false);
  store.push({ push: "scene", scene: scene(1, "a.xml") });
  expect(store.takeState(frameOf(2))).toBe(false);
  expect(store.takeState(frameOf(1))).toBe(true);
  expect(store.state.value?.time).toBe(0.5);
});

it("keeps hidden objects when the same file is reloaded, and clears them for another file", () => {
  const store = new Store();
  store.setScene(scene(1, "a.xml"));
  store.toggle(store.hidden, ["floor"], true);
  store.setScene(scene(2, "a.xml"));
  expect(store.hidden.value.has("floor")).toBe(true);
  store.setScene(scene(3, "b.xml"));
  expect(store.hidden.value.size).toBe(0);
});

it("keeps a bounded number of the newest events", () => {
  const store = new Store();
  for (let i = 0; i < 2000; ++i) store.push({ push: "event", step: i, time: i, text: `event ${i}` });
  expect(store.log.value.length).toBe(500);
  expect(store.log.value.at(-1)?.text).toBe("event 1999");
});

it("keeps the selection by name when the same file is reloaded", () => {
  const store = new Store();
  const body = (name: string) => ({
    name,
    parent: 0,
    mass: 1,
    center: [0, 0, 0] as [number, number, number],
    movable: true,
  });
  store.setScene({ ...scene(1, "a.xml"), bodies: [body("world"), body("arm")] });
  store.selection.set({ kind: "body", index: 1 });
  store.setScene({ ...scene(2, "a.xml"), bodies: [body("world"), body("crate"), body("arm")] });
  expect(store.selection.value).toEqual({ kind: "body", index: 2 });
  store.setScene({ ...scene(3, "b.xml"), bodies: [body("world"), body("arm")] });
  expect(store.selection.value).toBeNull();
});
