import { expect, it } from "vitest";
import { Latest } from "./latest.ts";

it("sends one value at a time, and skips all but the newest waiting one", async () => {
  const sent: number[] = [];
  const answers: (() => void)[] = [];
  const latest = new Latest<number>((value) => {
    sent.push(value);
    return new Promise<void>((resolve) => answers.push(resolve));
  });
  for (const value of [1, 2, 3]) latest.set(value);
  expect(sent).toEqual([1]);
  answers.shift()!();
  await Promise.resolve().then(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(sent).toEqual([1, 3]);
});

it("continues after a rejection", async () => {
  const sent: number[] = [];
  const latest = new Latest<number>((value) => {
    sent.push(value);
    return Promise.reject(new Error("no"));
  });
  latest.set(1);
  latest.set(2);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(sent).toEqual([1, 2]);
});
