// A pendulum of one rigid rod about the y axis, driven by a motor: I q" = -m g l sin q - d q' + motor + pull.
// Beside it a crate rests on the floor, and a distance sensor looks down from the tip.

import type { Attribute, Vec3 } from "../src/protocol.ts";
import { IDENTITY, type Pull, type World } from "./world.ts";

const GRAVITY = 9.81;
const PIVOT_HEIGHT = 1.2;
const CRATE: Vec3 = [0.6, 0.35, 0.15];

export function makePendulum(): World {
  const parameters = { length: 0.8, mass: 2, damping: 0.02 };
  const commands = new Map([["pendulum/motor/torque", 0]]);
  const pulls = new Map<string, Pull>();
  let state = [0.9, 0];

  // The point of the rod at distance r below the pivot, in the world.
  const at = (angle: number, r: number): Vec3 => [-r * Math.sin(angle), 0, PIVOT_HEIGHT - r * Math.cos(angle)];

  function pullTorque(angle: number): number {
    const pull = pulls.get("pendulum/rod");
    if (!pull) return 0;
    const p = at(angle, -pull.point[2]);
    const force = [0, 1, 2].map((i) => pull.stiffness * (pull.target[i]! - p[i]!));
    // Torque about +y of a force at lever (x, z): z Fx - x Fz.
    return (p[2] - PIVOT_HEIGHT) * force[0]! - p[0] * force[2]!;
  }

  function acceleration(angle: number, rate: number): number {
    const { length, mass, damping } = parameters;
    const inertia = (mass * length ** 2) / 3;
    const motor = commands.get("pendulum/motor/torque")!;
    return (
      (-mass * GRAVITY * (length / 2) * Math.sin(angle) - damping * rate + motor + pullTorque(angle)) / inertia
    );
  }

  const world: World = {
    scene: {
      name: "pendulum",
      description: "A driven pendulum above a floor, with a crate beside it",
      path: "pendulum.xml",
      step: 0.001,
      duration: null,
      gravity: [0, 0, -GRAVITY],
      bodies: [
        { name: "world", parent: -1, mass: 0, center: [0, 0, 0], movable: false, robot: null },
        { name: "pendulum/base", parent: 0, mass: 5, center: [0, 0, 0], movable: false, robot: "pendulum" },
        { name: "pendulum/rod", parent: 1, mass: 2, center: [0, 0, -0.4], movable: true, robot: "pendulum" },
        { name: "crate", parent: 0, mass: 3, center: [0, 0, 0], movable: true, robot: null },
      ],
      shapes: [
        shape("floor", 0, [0, 0, 0], { kind: "plane" }, [0.74, 0.76, 0.79, 1], { material: "concrete" }),
        shape("pendulum/base/column", 1, [0, 0.14, -0.6], { kind: "box", size: [0.1, 0.1, 1.2] }, [0.36, 0.4, 0.46, 1]),
        shape("pendulum/base/hub", 1, [0, 0.07, 0], { kind: "cylinder", radius: 0.05, length: 0.14 }, [0.25, 0.28, 0.32, 1], {
          orientation: [Math.SQRT1_2, Math.SQRT1_2, 0, 0],
        }),
        shape("pendulum/rod/bar", 2, [0, 0, -0.4], { kind: "capsule", radius: 0.025, length: 0.75 }, [0.9, 0.48, 0.13, 1], {
          material: "steel",
        }),
        shape("pendulum/rod/bob", 2, [0, 0, -0.8], { kind: "sphere", radius: 0.07 }, [0.85, 0.2, 0.17, 1]),
        shape("pendulum/rod/hull", 2, [0, 0, -0.42], { kind: "box", size: [0.15, 0.15, 0.9] }, [0.3, 0.8, 0.4, 1], {
          visible: false,
        }),
        shape("crate/box", 3, [0, 0, 0], { kind: "box", size: [0.3, 0.3, 0.3] }, [0.22, 0.5, 0.74, 1], { material: "wood" }),
      ],
      meshes: [],
      heightmaps: [],
      joints: [
        { name: "pendulum/pivot", type: "hinge", body: 2, position: [0, 0, 0], axis: [0, 1, 0], lower: -3, upper: 3, unit: "rad" },
        { name: "crate/free", type: "free", body: 3, position: [0, 0, 0], axis: [0, 0, 1] },
      ],
      sites: [{ name: "pendulum/tip", body: 2, position: [0, 0, -0.8], orientation: IDENTITY }],
      loops: [],
      springs: [],
      devices: [
        { name: "pendulum/encoder", sort: "sensor", kind: "encoder", robot: "pendulum", signals: ["pendulum/pivot/angle", "pendulum/pivot/velocity"] },
        { name: "pendulum/motor", sort: "actuator", kind: "motor", robot: "pendulum", signals: ["pendulum/motor/torque"] },
        { name: "pendulum/lidar", sort: "sensor", kind: "distance", robot: "pendulum", signals: ["pendulum/lidar/distance"] },
      ],
      signals: [
        { name: "pendulum/pivot/angle", unit: "rad", role: "measurement", lower: -3, upper: 3, joint: "pendulum/pivot" },
        { name: "pendulum/pivot/velocity", unit: "rad/s", role: "measurement", joint: "pendulum/pivot" },
        { name: "pendulum/motor/torque", unit: "N*m", role: "command", lower: -20, upper: 20, joint: "pendulum/pivot" },
        { name: "pendulum/lidar/distance", unit: "m", role: "measurement", lower: 0, upper: 5 },
        { name: "timing/step", unit: "s", role: "timing" },
      ],
    },
    paths: [{ name: "swing", points: Array.from({ length: 41 }, (_, i) => at(-1.2 + 0.06 * i, parameters.length)) }],
    get state() {
      return state;
    },
    set state(value) {
      state = [...value];
    },
    commands,
    pulls,
    // Runge–Kutta of fourth order: without damping the energy stays to a millionth over minutes.
    advance(dt) {
      const [q, v] = state as [number, number];
      const k1 = acceleration(q, v);
      const k2 = acceleration(q + (dt / 2) * v, v + (dt / 2) * k1);
      const k3 = acceleration(q + (dt / 2) * v + ((dt * dt) / 4) * k1, v + (dt / 2) * k2);
      const k4 = acceleration(q + dt * v + ((dt * dt) / 2) * k2, v + dt * k3);
      state = [q + dt * v + ((dt * dt) / 6) * (k1 + k2 + k3), v + (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4)];
    },
    poses() {
      const half = state[0]! / 2;
      return [
        ...[0, 0, 0, ...IDENTITY],
        ...[0, 0, PIVOT_HEIGHT, ...IDENTITY],
        ...[0, 0, PIVOT_HEIGHT, Math.cos(half), 0, Math.sin(half), 0],
        ...[...CRATE, ...IDENTITY],
      ];
    },
    contacts() {
      const load = (3 * GRAVITY) / 4;
      return [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [CRATE[0] + x * 0.15, CRATE[1] + y * 0.15, 0, 0, 0, load]));
    },
    rays() {
      const tip = at(state[0]!, parameters.length);
      return [...tip, tip[0], tip[1], 0];
    },
    values() {
      const tip = at(state[0]!, parameters.length);
      return [state[0]!, state[1]!, commands.get("pendulum/motor/torque")!, tip[2], 12e-6];
    },
    setJoint(name, position) {
      if (name === "pendulum/pivot") state = [position, 0];
    },
    attributes(path) {
      if (path === "pendulum/rod") {
        return [
          attribute("mass", parameters.mass, "kg", 0.1, 20, "Mass of the rod."),
          attribute("length", parameters.length, "m", 0.1, 1.1, "Length of the rod."),
        ];
      }
      if (path === "pendulum/pivot") return [attribute("damping", parameters.damping, "N*m*s/rad", 0, 5, "Viscous friction.")];
      return [];
    },
    edit(xpath, value) {
      const name = /@(\w+)$/.exec(xpath)?.[1];
      if (name !== "length" && name !== "mass" && name !== "damping") return false;
      parameters[name] = value;
      return true;
    },
  };
  return world;
}

function attribute(name: string, value: number, unit: string, min: number, max: number, doc: string): Attribute {
  return { xpath: `//robot[@name='pendulum']//@${name}`, name, value: `${value} ${unit}`, unit, min, max, doc };
}

type Scene = World["scene"];
type Shape = Scene["shapes"][number];

export function shape(
  name: string,
  body: number,
  position: Vec3,
  geometry: Shape["geometry"],
  color: Shape["color"],
  more: Partial<Shape> = {},
): Shape {
  return { name, body, position, orientation: IDENTITY, color, visible: true, collide: true, material: null, geometry, ...more };
}
