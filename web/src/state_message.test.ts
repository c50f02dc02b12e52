import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeState } from "./state_message.ts";
import { encodeState } from "./state_message_testing.ts";

const content = {
  scene: 3,
  step: 2 ** 40,
  time: 1.25,
  hasGap: true,
  signalCount: 2,
  poses: [0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 0.5, 0.5, 0.5, 0.5],
  joints: [0.5, -0.25],
  contacts: [1, 2, 3, 0, 0, 10],
  rays: [],
  rows: [1.249, 7, 8, 1.25, 9, 10],
};

function damaged(change: (view: DataView) => void): ArrayBuffer {
  const buffer = encodeState(content);
  change(new DataView(buffer));
  return buffer;
}

describe("a state message", () => {
  it("is decoded as it was encoded", () => {
    const state = decodeState(encodeState(content));
    expect(state).toMatchObject({ scene: 3, step: 2 ** 40, time: 1.25, rowCount: 2, signalCount: 2 });
    expect(state).toMatchObject({ hasPoses: true, hasContacts: true, hasRays: true, hasGap: true });
    expect([...state.poses]).toEqual(content.poses);
    expect([...state.joints]).toEqual(content.joints);
    expect([...state.contacts]).toEqual(content.contacts);
    expect([...state.rows]).toEqual(content.rows);
  });

  it("has the bytes of the protocol", () => {
    const state = encodeState({ scene: 1, step: 2, time: 0, hasGap: false, signalCount: 0, rows: [] });
    expect(new TextDecoder().decode(state.slice(0, 4))).toBe("LKV1");
    expect(state.byteLength).toBe(4 + 4 + 8 + 8 + 4 + 4 * 4 + 2 * 4);
    expect(new DataView(state).getBigInt64(8, true)).toBe(2n);
  });

  it("reads rows whether or not they are aligned to eight bytes", () => {
    for (const poses of [undefined, content.poses]) {
      const state = decodeState(encodeState({ ...content, poses, contacts: undefined }));
      expect([...state.rows]).toEqual(content.rows);
    }
  });

  it("is rejected when truncated at any byte", () => {
    const whole = encodeState(content);
    for (let length = 0; length < whole.byteLength; ++length) {
      expect(() => decodeState(whole.slice(0, length)), `${length} bytes`).toThrow(/^message: /);
    }
  });

  it("is rejected with trailing bytes", () => {
    const longer = new Uint8Array(encodeState(content).byteLength + 4);
    longer.set(new Uint8Array(encodeState(content)));
    expect(() => decodeState(longer.buffer)).toThrow("message: 4 bytes too many");
  });

  it("is rejected when its magic number is wrong", () => {
    expect(() => decodeState(damaged((view) => view.setUint8(3, 0x32)))).toThrow("does not begin with LKV1");
  });

  it("is rejected when a count exceeds the available bytes", () => {
    const [bodies, joints, contacts] = [14 * 4, 2 * 4, 6 * 4]; // bytes after their counts
    const countsAt = [
      28,
      32 + bodies,
      36 + bodies + joints,
      40 + bodies + joints + contacts,
      44 + bodies + joints + contacts,
    ];
    for (const at of countsAt) {
      expect(() => decodeState(damaged((view) => view.setUint32(at, 0xffffffff, true))), `${at}`).toThrow(/^message: /);
    }
  });

  it("is rejected when its time is not a number", () => {
    expect(() => decodeState(damaged((view) => view.setFloat64(16, Number.NaN, true)))).toThrow("time is not");
  });
});

/// What a golden message means (tests/golden_messages/viewer); null for what the viewer did not ask for.
interface Meaning {
  scene: number;
  step: number;
  time: number;
  poses: number[] | null;
  joints: number[] | null;
  contacts: number[] | null;
  rays: number[] | null;
  signals: number;
  rows: number[][];
  rows_lost: boolean;
}

it("has the golden bytes of the server", () => {
  const folder = new URL("../../tests/golden_messages/viewer/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".bin"));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    const meaning = JSON.parse(readFileSync(new URL(name.replace(".bin", ".json"), folder), "utf8")) as Meaning;
    const state = decodeState(new Uint8Array(readFileSync(new URL(name, folder))).buffer);
    expect(state, name).toMatchObject({
      scene: meaning.scene,
      step: meaning.step,
      time: meaning.time,
      hasPoses: meaning.poses !== null,
      hasContacts: meaning.contacts !== null,
      hasRays: meaning.rays !== null,
      hasGap: meaning.rows_lost,
      rowCount: meaning.rows.length,
      signalCount: meaning.signals,
    });
    for (const key of ["poses", "joints", "contacts", "rays"] as const)
      expect([...state[key]], `${name}: ${key}`).toEqual(meaning[key] ?? []);
    expect([...state.rows], `${name}: rows`).toEqual(meaning.rows.flat());
  }
});
