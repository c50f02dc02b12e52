// Frames as the server writes them, for tests.

import { ARROW_FLOATS, HEADER_BYTES, MAGIC, POSE_FLOATS, type StateMessage } from "./state_message.ts";

export type StateContent = Pick<StateMessage, "scene" | "step" | "time" | "hasGap" | "signalCount"> & {
  isPast?: boolean;
  poses?: ArrayLike<number>;
  joints?: ArrayLike<number>;
  contacts?: ArrayLike<number>;
  rays?: ArrayLike<number>;
  rows: ArrayLike<number>;
};

/// The message that decodeState() reads.
export function encodeState(state: StateContent): ArrayBuffer {
  const { poses, joints, contacts, rays, rows } = state;
  const floatCount = (poses?.length ?? 0) + (joints?.length ?? 0) + (contacts?.length ?? 0) + (rays?.length ?? 0);
  const buffer = new ArrayBuffer(HEADER_BYTES + 4 * 4 + floatCount * 4 + 8 + rows.length * 8);
  const view = new DataView(buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, state.scene, true);
  view.setBigInt64(8, BigInt(state.step), true);
  view.setFloat64(16, state.time, true);
  view.setUint32(
    24,
    (poses ? 1 : 0) | (contacts ? 2 : 0) | (rays ? 4 : 0) | (state.hasGap ? 8 : 0) | (state.isPast ? 16 : 0),
    true,
  );
  let offset = HEADER_BYTES;
  const put = (values: ArrayLike<number> | undefined, each: number): void => {
    view.setUint32(offset, (values?.length ?? 0) / each, true);
    offset += 4;
    for (let i = 0; values && i < values.length; ++i, offset += 4) view.setFloat32(offset, values[i]!, true);
  };
  put(poses, POSE_FLOATS);
  put(joints, 1);
  put(contacts, ARROW_FLOATS);
  put(rays, ARROW_FLOATS);
  view.setUint32(offset, rows.length / (1 + state.signalCount), true);
  view.setUint32(offset + 4, state.signalCount, true);
  offset += 8;
  for (let i = 0; i < rows.length; ++i, offset += 8) view.setFloat64(offset, rows[i]!, true);
  return buffer;
}
