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

describe("a state", () => {
  it("reads as it was written", () => {
    const state = decodeState(encodeState(content));
    expect(state).toMatchObject({ scene: 3, step: 2 ** 40, time: 1.25, rowCount: 2, signalCount: 2 });
    expect(state).toMatchObject({ hasPoses: true, hasContacts: true, hasRays: true, hasGap: true });
    expect([...state.poses]).toEqual(content.poses);
    expect([...state.joints]).toEqual(content.joints);
    expect([...state.contacts]).toEqual(content.contacts);
    expect([...state.rows]).toEqual(content.rows);
  });

  it("has the bytes of the contract", () => {
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

  it("is rejected when cut at any byte", () => {
    const whole = encodeState(content);
    for (let length = 0; length < whole.byteLength; ++length) {
      expect(() => decodeState(whole.slice(0, length)), `${length} bytes`).toThrow(/^message: /);
    }
  });

  it("is rejected with bytes to spare", () => {
    const longer = new Uint8Array(encodeState(content).byteLength + 4);
    longer.set(new Uint8Array(encodeState(content)));
    expect(() => decodeState(longer.buffer)).toThrow("message: 4 bytes too many");
  });

  it("is rejected when it is of another protocol", () => {
    expect(() => decodeState(damaged((view) => view.setUint8(3, 0x32)))).toThrow("does not begin with LKV1");
  });

  it("is rejected when a count is larger than what is there", () => {
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
