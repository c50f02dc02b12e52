// What the mock server needs of a simulated world. State is a value: an array of numbers that can be kept and restored.

import type { Attribute, Path, Scene, Vec3 } from "../src/protocol.ts";

export interface Pull {
  point: Vec3;
  target: Vec3;
  stiffness: number;
}

export interface World {
  readonly scene: Omit<Scene, "id">;
  readonly paths: Path[];
  state: number[];
  /// Commands by signal name; written by `set`.
  readonly commands: Map<string, number>;
  readonly pulls: Map<string, Pull>;
  advance(dt: number): void;
  poses(time: number): number[];
  contacts(time: number): number[];
  rays(time: number): number[];
  /// One value for each of scene.signals.
  values(time: number): number[];
  setJoint(name: string, position: number): void;
  attributes(path: string): Attribute[];
  /// False if there is no such attribute or the value is not a number.
  edit(xpath: string, value: number): boolean;
}

export const IDENTITY: [number, number, number, number] = [1, 0, 0, 0];
