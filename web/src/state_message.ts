// One binary message of the stream: poses, contacts and rays at one instant, and the signal rows since the last message.

export const MAGIC = 0x31564b4c; // "LKV1" read as a little-endian number
export const HEADER_BYTES = 28;

export const POSE_FLOATS = 7; // position, then quaternion w x y z
export const ARROW_FLOATS = 6; // contacts: position, force; rays: start, end

export interface StateMessage {
  scene: number;
  step: number;
  time: number;
  hasPoses: boolean;
  hasContacts: boolean;
  hasRays: boolean;
  /// Rows before these were dropped because this viewer was too slow.
  hasGap: boolean;
  /// The run is known beyond this instant: the rows repeat its past.
  isPast: boolean;
  poses: Float32Array;
  /// Joint positions: rad for a hinge, m for a slide, 0 for others; present if the poses are.
  joints: Float32Array;
  contacts: Float32Array;
  rays: Float32Array;
  rowCount: number;
  signalCount: number;
  /// rowCount rows of time followed by signalCount values.
  rows: Float64Array;
}

/// Decodes an untrusted message: every count is checked against the available bytes.
/// The arrays are views into `buffer` where its alignment allows. Throws an Error.
export function decodeState(buffer: ArrayBuffer): StateMessage {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER_BYTES) {
    throw new Error(`message: ${buffer.byteLength} bytes; the header alone is longer`);
  }
  if (view.getUint32(0, true) !== MAGIC) throw new Error("message: does not begin with LKV1");

  let offset = HEADER_BYTES;
  const take = (bytes: number, what: string): number => {
    if (bytes > buffer.byteLength - offset) {
      throw new Error(`message: ${what} need ${bytes} bytes, ${buffer.byteLength - offset} are left`);
    }
    const start = offset;
    offset += bytes;
    return start;
  };
  const count = (what: string): number => view.getUint32(take(4, `the number of ${what}`), true);
  const floats = (what: string, each: number): Float32Array => {
    const length = count(what) * each;
    return new Float32Array(buffer, take(length * 4, what), length);
  };

  const poses = floats("bodies", POSE_FLOATS);
  const joints = floats("joints", 1);
  const contacts = floats("contacts", ARROW_FLOATS);
  const rays = floats("rays", ARROW_FLOATS);
  const rowCount = count("rows");
  const signalCount = count("signals");
  const length = rowCount * (1 + signalCount);
  const start = take(length * 8, "rows");
  if (offset !== buffer.byteLength) throw new Error(`message: ${buffer.byteLength - offset} bytes too many`);
  const isAligned = start % 8 === 0;
  const rows = new Float64Array(isAligned ? buffer : buffer.slice(start), isAligned ? start : 0, length);

  const time = view.getFloat64(16, true);
  if (!Number.isFinite(time)) throw new Error("message: the time is not a finite number");
  const flags = view.getUint32(24, true);
  return {
    scene: view.getUint32(4, true),
    step: Number(view.getBigInt64(8, true)),
    time,
    hasPoses: (flags & 1) !== 0,
    hasContacts: (flags & 2) !== 0,
    hasRays: (flags & 4) !== 0,
    hasGap: (flags & 8) !== 0,
    isPast: (flags & 16) !== 0,
    poses,
    joints,
    contacts,
    rays,
    rowCount,
    signalCount,
    rows,
  };
}
