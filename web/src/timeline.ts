// Timeline arithmetic: position of an instant, and which instants to mark.

export interface Stretch {
  start: number;
  end: number;
}

/// 0 at the start, 1 at the end.
export function fractionOf(time: number, { start, end }: Stretch): number {
  return end > start ? Math.min(1, Math.max(0, (time - start) / (end - start))) : 0;
}

export function timeAt(fraction: number, { start, end }: Stretch): number {
  return start + Math.min(1, Math.max(0, fraction)) * (end - start);
}

/// At most `most` round times (1, 2 or 5 times a power of ten) in the interval.
export function roundTimes({ start, end }: Stretch, most: number): number[] {
  if (!(end > start) || most < 1) return [];
  const least = (end - start) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const spacing = [1, 2, 5, 10].map((factor) => factor * power).find((wide) => wide >= least)!;
  const times: number[] = [];
  for (let i = Math.ceil(start / spacing); i * spacing <= end; ++i) times.push(Number((i * spacing).toPrecision(12)));
  return times;
}

/// Something that happened at an instant.
export interface Mark {
  kind: "event" | "warning" | "flag";
  time: number;
  text: string;
}

/// Marks by time; those of one kind closer than `least` become one with all their texts.
export function groupMarks(marks: readonly Mark[], least: number): Mark[] {
  const grouped: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => a.time - b.time)) {
    const last = grouped.findLast(({ kind }) => kind === mark.kind);
    if (last && mark.time - last.time < least) last.text += `\n${mark.text}`;
    else grouped.push({ ...mark });
  }
  return grouped;
}
