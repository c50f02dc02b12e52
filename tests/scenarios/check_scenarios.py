#!/usr/bin/env python3
"""Runs every scenario and compares its log with physics. Prints each figure with its closed form."""

import json
import math
import re
import subprocess
import unittest

import check_chains
from running import LOCKSTEP, ROOT, SCENARIOS, Figures, at, run, run_with_log

G = 9.81  # m/s^2, the default of a scenario


def crossings(times: list, values: list, level: float = 0.0) -> list:
    """Times at which the values cross the level, up or down, by linear interpolation."""
    found = []
    for i in range(1, len(values)):
        before, after = values[i - 1] - level, values[i] - level
        if before * after < 0.0:
            found.append(times[i - 1] + (times[i] - times[i - 1]) * before / (before - after))
    return found


def mean_period(times: list, values: list, level: float = 0.0) -> float:
    passed = crossings(times, values, level)
    return 2.0 * (passed[-1] - passed[0]) / (len(passed) - 1)


def along_slope(log: dict, body: str, angle: float) -> list:
    """Distance of a body down a slope that descends towards +x, m."""
    return [x * math.cos(angle) - z * math.sin(angle) for x, z in zip(log[f"{body}/x"], log[f"{body}/z"])]


def off_slope(log: dict, body: str, angle: float) -> list:
    return [x * math.sin(angle) + z * math.cos(angle) for x, z in zip(log[f"{body}/x"], log[f"{body}/z"])]


def mean_acceleration(times: list, places: list, first: float, last: float) -> float:
    """From three positions at equal time intervals: exact for a constant acceleration."""
    step = times[1]
    i, k = round(first / step), round(last / step)
    j = (i + k) // 2
    return (places[k] - 2.0 * places[j] + places[i]) / (times[j] - times[i]) ** 2


def complete_elliptic_integral(modulus: float) -> float:
    """K(k), by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1.0 - modulus**2)
    for _ in range(10):  # doubles the correct digits each time
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return math.pi / (2.0 * a)


class Scenarios(Figures):
    def test_every_scenario_is_tested_here_or_with_the_chains(self) -> None:
        tests = [name.replace("_", "-") for name in dir(Scenarios) + dir(check_chains.Chains) if name.startswith("test_")]
        for scenario in SCENARIOS:
            self.assertTrue(any(f"test-{scenario}-" in f"{test}-" for test in tests), f"no test_{scenario}_… here")

    def test_every_device_appears_in_a_scenario(self) -> None:
        reference = (ROOT / "docs" / "scenario-reference.md").read_text(encoding="utf-8")
        written = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "scenarios").rglob("*.xml"))
        for category in ("sensors", "actuators", "controllers", "observers"):
            section = re.search(rf"^## `<{category}>`\n.*?^Contains (.*?)$", reference, re.M | re.S)
            for kind in re.findall(r"<([\w-]+)>", section[1]):
                self.assertRegex(written, rf"<{kind}[\s/>]", f"<{kind}> of <{category}>")

    def test_check_lists_the_engines_and_their_capabilities(self) -> None:
        check = [LOCKSTEP, "check", str(ROOT / "scenarios" / "basics" / "pendulum.xml")]
        summary = json.loads(subprocess.run([*check, "--json"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(summary["engine"], "mujoco")
        mujoco, = [engine for engine in summary["engines"] if engine["name"] == "mujoco"]
        self.assertEqual(mujoco["integrators"], ["euler", "implicit", "rk4"])
        self.assertTrue(mujoco["capabilities"]["closed_loops"])
        text = subprocess.run(check, capture_output=True, text=True, check=True).stdout
        self.assertIn("    mujoco (in use): euler, implicit, rk4; closed loops, ", text)

    def test_pendulum_has_the_period_of_the_closed_form(self) -> None:
        log = run_with_log("pendulum")
        length, thickness, amplitude = 1.0, 0.02, math.radians(60.0)
        inertia_by_mass = (length**2 + thickness**2) / 12.0 + (length / 2.0) ** 2
        k = complete_elliptic_integral(math.sin(amplitude / 2.0))
        period = 4.0 * math.sqrt(inertia_by_mass / (G * length / 2.0)) * k
        rk4_and_interpolation = 1e-6
        self.expect("pendulum, period", mean_period(log["time"], log["pendulum/hinge/angle"]), period,
                    rk4_and_interpolation, "s")
        # Without friction it returns to its release angle; within half a step of the turning point it is off by less.
        seen_every_step = 1e-5
        self.expect("pendulum, amplitude in the last period", max(map(abs, log["pendulum/hinge/angle"][-1760:])),
                    amplitude, seen_every_step, "rad")

    def test_sliding_follows_coulombs_law(self) -> None:
        log = run_with_log("sliding")
        slope, friction = math.radians(20.0), 0.2
        soft_contacts = 0.002
        self.expect("sliding, acceleration of the oak", mean_acceleration(log["time"], along_slope(log, "oak", slope), 0.2, 1.4),
                    G * (math.sin(slope) - friction * math.cos(slope)), soft_contacts, "m/s^2")
        half_height, largest_hop = 0.05, 0.5e-3
        self.expect_below("sliding, hop of the oak", max(off_slope(log, "oak", slope)) - half_height, largest_hop, "m")

    def test_sliding_rubber_stays_in_place(self) -> None:
        log = run_with_log("sliding")
        down = along_slope(log, "rubber", math.radians(20.0))
        largest_creep = 50e-6  # m/s: soft friction creeps
        self.expect_below("sliding, creep of the rubber", abs(down[-1] - down[500]) / (log["time"][-1] - 0.5),
                          largest_creep, "m/s")

    def test_rolling_bodies_accelerate_according_to_their_inertia(self) -> None:
        log = run_with_log("rolling")
        slope, soft_contacts = math.radians(10.0), 0.001
        for body, factor in (("ball", 5.0 / 7.0), ("cylinder", 2.0 / 3.0)):
            down = along_slope(log, body, slope)
            self.expect(f"rolling, acceleration of the {body}", mean_acceleration(log["time"], down, 0.2, 1.4),
                        factor * G * math.sin(slope), soft_contacts, "m/s^2")

    def test_delta_keeps_its_cycle_and_its_loops(self) -> None:
        log = run_with_log("delta")
        start, rest, across, acceleration = 0.3, 0.02, 0.305, 10.0 * G
        over = 1.5 * math.sqrt(10.0 / math.sqrt(3.0) * across / acceleration) + rest
        off_path, largest_gap = 0.5e-3, 0.1e-3  # m
        for i in range(7):
            x, z = -across / 2.0 if i % 2 == 0 else across / 2.0, -0.425
            row = round((start + i * over) / log["time"][1])  # after 20 ms of rest
            self.expect_below(f"delta, off the end of move {i}",
                              math.hypot(log["delta/plate/x"][row] - x, log["delta/plate/y"][row],
                                         log["delta/plate/z"][row] - z), off_path, "m")
        self.expect_below("delta, gap of the loops", max(log["delta/loops/gap"]), largest_gap, "m")
        velocities = list(zip(*(log[f"delta/plate-speed/v{axis}"] for axis in "xyz")))
        largest = max(map(math.dist, velocities, velocities[1:])) / log["time"][1]
        lift_and_encoder = 0.1  # the lift overlaps the transfer, and the controller reacts to every encoder count
        self.expect("delta, largest acceleration", largest, acceleration, lift_and_encoder, "m/s^2")
        self.assertGreaterEqual(largest, acceleration)

    def test_four_bar_keeps_its_loop_closed(self) -> None:
        log = run_with_log("four-bar")
        crank, coupler, rocker, base, height = 0.1, 0.3, 0.25, 0.3, 0.5

        def pin_of(angle: float) -> tuple:
            """Intersection of the circles about the ends of crank and base, above the line between them."""
            x, z = crank * math.sin(angle), crank * math.cos(angle)
            distance = math.hypot(base - x, z)
            ex, ez = (base - x) / distance, -z / distance
            foot = (coupler**2 - rocker**2 + distance**2) / (2.0 * distance)
            aside = math.sqrt(coupler**2 - foot**2)
            return x + foot * ex - aside * ez, z + foot * ez + aside * ex

        def rocker_angle_of(pin: tuple) -> float:
            return math.atan2(pin[0] - base, pin[1])

        pins = [pin_of(angle) for angle in log["linkage/crank/angle"]]
        gap = max(math.dist((x, y, z), (pin[0], 0.0, pin[1] + height))
                  for x, y, z, pin in zip(log["linkage/pin/x"], log["linkage/pin/y"], log["linkage/pin/z"], pins))
        self.expect_below("four-bar, distance of the pin from plane geometry", gap, 0.1e-3, "m")
        at_start = rocker_angle_of(pin_of(0.0))
        off = max(abs(math.remainder(rocker_angle_of(pin) - at_start - angle, 2.0 * math.pi))
                  for pin, angle in zip(pins, log["linkage/rocker/angle"]))
        self.expect_below("four-bar, error of the rocker's angle", off, 1e-3, "rad")
        self.assertGreater(log["linkage/crank/angle"][-1], 20.0 * math.pi, "the crank goes round")

    def rolling_test_error(self, integrator: str) -> float:
        """The mean over the steps of the squared velocity errors of the first ball and the plate, as published:
        the velocity at i dt against that of the closed form, for i from 0 to 3999.

        Velocities are not logged. Euler moves by its new velocity, so a backward difference is that velocity; for
        RK4 a centred difference is right to second order in the step."""
        log = run_with_log("rolling-test", "--set", f"//engine/@integrator={integrator}")
        m, plate_mass, balls, friction, force, dt = 1.0, 10.0, 25, 0.4, 150.0, 1e-3
        f1 = friction * (plate_mass + balls * m) * G
        f2 = 1.0 / plate_mass * (force - f1) / (3.5 / m + balls / plate_mass)
        accelerations = {"plate": (force - f1 - balls * f2) / plate_mass, "ball": f2 / m}
        direction = (0.5, math.sqrt(0.75), 0.0)
        last = len(log["time"]) - (1 if integrator == "euler" else 2)  # a centred difference needs the line after
        total = 0.0  # at i = 0 both are at rest, without error
        for body, acceleration in accelerations.items():
            for axis, share in zip("xyz", direction):
                p = log[f"{body}/{axis}"]
                for i in range(1, last + 1):
                    v = (p[i] - p[i - 1]) / dt if integrator == "euler" else (p[i + 1] - p[i - 1]) / (2.0 * dt)
                    total += (v - acceleration * share * i * dt) ** 2
        return total / (last + 1)

    def test_rolling_test_with_rk4_is_no_worse_than_published(self) -> None:
        published = 0.0027148
        self.expect_below("rolling-test, error with RK4", self.rolling_test_error("rk4"), published, "m^2/s^2")

    def test_rolling_test_with_euler_is_no_worse_than_published(self) -> None:
        published = 0.00692691
        self.expect_below("rolling-test, error with Euler", self.rolling_test_error("euler"), published, "m^2/s^2")

    def test_bowl_has_the_period_of_a_rolling_ball(self) -> None:
        log = run_with_log("bowl")
        r, bottom, start = 0.2, 4.0, 0.8

        def center(x: float) -> tuple:
            """Centre of the ball that touches the paraboloid above x."""
            slant = math.hypot(1.0, x / bottom)
            return x - r * x / bottom / slant, x * x / (2.0 * bottom) + r / slant

        low, high = start, 2.0 * start
        for _ in range(60):
            middle = (low + high) / 2.0
            low, high = (middle, high) if center(middle)[0] < start else (low, middle)
        pieces = 20000
        path = [center(low * math.sin(math.pi / 2.0 * i / pieces)) for i in range(pieces + 1)]
        height = path[-1][1]
        # Energy: 7/10 v^2 = g (height - z); a quarter of the period is the integral of ds / v.
        quarter = sum(math.dist(a, b) / math.sqrt(10.0 / 7.0 * G * (height - (a[1] + b[1]) / 2.0))
                      for a, b in zip(path, path[1:]))
        measured = mean_period(log["time"], log["ball/x"])
        facets_of_the_heightmap, small_angles = 0.005, 0.02
        self.expect("bowl, period at this amplitude", measured, 4.0 * quarter, facets_of_the_heightmap, "s")
        self.expect("bowl, period of small swings", measured,
                    2.0 * math.pi * math.sqrt(1.4 * (bottom - r) / G), small_angles, "s")
        self.expect_below("bowl, drift to the side", max(map(abs, log["ball/y"])), 2e-3, "m")

    def test_sensors_measure_the_terrain_below_the_cart(self) -> None:
        log = run_with_log("sensors")
        x = [-1.0 + 0.7 * t for t in log["time"]]
        depth = [2.0 - x_ * x_ / 8.0 for x_ in x]
        facets_of_the_heightmap = 1e-4  # m: pixels of 31 mm on a radius of 4 m, heights in 65535 levels
        self.expect_below("sensors, error of the distance to the bowl",
                          max(abs(a - b) for a, b in zip(log["gantry/depth/distance"], depth)), facets_of_the_heightmap, "m")
        # The nearest point of the bowl in the cone is nearer than the one directly below, unless that is its bottom.
        rays = list(zip(log["gantry/cone/distance"], log["gantry/depth/distance"]))[::20]
        self.assertTrue(all(cone <= ray for cone, ray in rays))
        self.assertLess(rays[0][0], rays[0][1] - 0.05)
        self.assertEqual(set(log["gantry/short/distance"]), {-1.0})

    def test_sensors_have_the_specified_errors(self) -> None:
        log = run_with_log("sensors")
        x, coarse = log["gantry/cart/position"], log["gantry/encoder/position"]
        self.expect_below("sensors, error of the encoder", max(abs(a - b) for a, b in zip(x, coarse)), 0.0025 + 1e-12, "m")
        truth = log["gantry/depth/distance"]
        sonar = [reading - truth[i // 10 * 10 - 50] for i, reading in enumerate(log["gantry/sonar/distance"]) if i >= 50][::10]
        deviation = math.sqrt(sum(e * e for e in sonar) / len(sonar))
        # The standard deviation of a standard deviation is 1 / sqrt(2 n) of it.
        self.expect("sensors, noise of the sonar, 50 ms late", deviation, 0.003, 5.0 / math.sqrt(2.0 * len(sonar)), "m")
        cheap = [reading - 4.0 for reading in log["table/cheap-gyro/z"]]
        self.expect_below("sensors, error of the gyro's mean bias", abs(sum(cheap) / len(cheap) - 0.02),
                          5.0 * 0.05 / math.sqrt(len(cheap)), "rad/s")

    def test_sensors_on_the_turntable_measure_circular_motion(self) -> None:
        log = run_with_log("sensors")
        rate, radius, rounding = 4.0, 0.25, 1e-9
        self.expect("sensors, centripetal acceleration", log["table/accelerometer/x"][-1], -rate * rate * radius, rounding, "m/s^2")
        self.expect("sensors, gravity", log["table/accelerometer/z"][-1], G, rounding, "m/s^2")
        self.expect("sensors, rate", log["table/gyro/z"][-1], rate, rounding, "rad/s")
        self.expect("sensors, speed along the arm's own y", log["table/tip-own/vy"][-1], rate * radius, rounding, "m/s")
        # On a circle, velocity and position are perpendicular.
        self.expect_below("sensors, v against p", max(abs(vx * x + vy * y) for vx, vy, x, y in zip(
            log["table/tip/vx"], log["table/tip/vy"], log["table/tip-pose/x"], log["table/tip-pose/y"])), rounding, "m^2/s")

    def test_force_sensors_measure_hanging_falling_and_resting_loads(self) -> None:
        log = run_with_log("sensors")
        drop, settled, a_step = 0.58, 1e-4, 2e-3
        self.expect("sensors, load on the lock", at(log, "crane/hook/force_z", 0.9), 2.0 * G, settled, "N")
        self.assertEqual(at(log, "crane/hook/force_z", 1.1), 0.0)
        self.expect("sensors, empty scale", at(log, "crane/cell/force_z", 0.9), 1.0 * G, settled, "N")
        self.expect("sensors, loaded scale", log["crane/cell/force_z"][-1], 3.0 * G, settled, "N")
        self.expect("sensors, contact force under the load", log["crane/carried/z"][-1], 2.0 * G, settled, "N")
        for touch in ("crane/bumper", "crane/landed", "materials"):
            landing = log["time"][log[f"{touch}/touch"].index(1.0)]
            self.expect_below(f"sensors, {touch} against the end of the fall",
                              abs(landing - 1.0 - math.sqrt(2.0 * drop / G)), a_step, "s")
            self.assertEqual(log[f"{touch}/touch"][-1], 1.0)

    def test_floating_crate_has_the_draft_of_archimedes(self) -> None:
        log = run_with_log("floating")
        edge, height, wood, water, air, level = 1.0, 0.5, 400.0, 1000.0, 1.2, 2.0
        draft = height * (wood - air) / (water - air)
        # It still heaves slightly, so the mean over whole periods is used.
        heave = 2.0 * math.pi * math.sqrt(wood * height * edge**2 / ((water - air) * G * edge**2))
        passed = crossings(log["time"], log["crate/z"], level + height / 2.0 - draft)[-13:]
        step = log["time"][1]
        z = log["crate/z"][round(passed[0] / step):round(passed[-1] / step)]
        heave_is_not_quite_a_sine = 0.005
        self.expect("floating, draft of the crate", level + height / 2.0 - sum(z) / len(z), draft,
                    heave_is_not_quite_a_sine, "m")
        drag_slows_it = 0.01
        self.expect("floating, period of heaving", 2.0 * (passed[-1] - passed[0]) / (len(passed) - 1), heave,
                    drag_slows_it, "s")

    def test_floating_lead_ball_rests_on_the_ground(self) -> None:
        log = run_with_log("floating")
        radius, depth_of_contact = 0.1, 0.0005
        self.expect("floating, height of the lead ball", log["ball/z"][-1], radius, depth_of_contact / radius, "m")

    def test_falling_approaches_terminal_speed_and_drifts_with_the_wind(self) -> None:
        log = run_with_log("falling")
        radius, mass, drag, air, wind = 0.11, 0.43, 0.47, 1.2, 5.0
        area, volume = math.pi * radius**2, 4.0 / 3.0 * math.pi * radius**3
        weight = (mass - air * volume) * G
        terminal = math.sqrt(2.0 * weight / (air * drag * area))
        # The log has a new pose every 10 ms; between 9 and 9.9 s it is that of the time of the line.
        speed = (at(log, "ball/z", 9.0) - at(log, "ball/z", 9.9)) / 0.9
        self.expect("falling, terminal speed", speed, terminal, 0.002, "m/s")

        def rates(state: list) -> list:
            vx, vz = state[2] - wind, state[3]
            pull = 0.5 * air * drag * area * math.hypot(vx, vz) / mass
            return [state[2], state[3], -pull * vx, -pull * vz - weight / mass]

        state, dt = [0.0, 400.0, 0.0, 0.0], 1e-3
        for _ in range(9990):  # the same equations with an independent Runge-Kutta
            k1 = rates(state)
            k2 = rates([s + dt / 2.0 * k for s, k in zip(state, k1)])
            k3 = rates([s + dt / 2.0 * k for s, k in zip(state, k2)])
            k4 = rates([s + dt * k for s, k in zip(state, k3)])
            state = [s + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
        first_order_in_the_step = 1e-3
        self.expect("falling, drift with the wind", at(log, "ball/x", 9.99), state[0], first_order_in_the_step, "m")
        self.expect("falling, depth fallen", 400.0 - at(log, "ball/z", 9.99), 400.0 - state[1],
                    first_order_in_the_step, "m")

    def test_mrsim_module_drives_its_joint_at_the_commanded_speed(self) -> None:
        log = run_with_log("mrsim-module")
        speed, angle = math.pi / 6.0, "module/hinge/angle"
        within = 0.02
        self.expect("mrsim-module, speed to the target", at(log, angle, 1.5) - at(log, angle, 0.5), speed, within, "rad/s")
        self.expect("mrsim-module, speed back", at(log, angle, 4.5) - at(log, angle, 5.5), speed, within, "rad/s")

    def test_mrsim_module_reaches_its_targets(self) -> None:
        log = run_with_log("mrsim-module")
        # Half the module weighs 10 kg, its centre is 0.2 m from the hinge, and the servo yields by 1/4000 rad/(N m).
        sag = 10.0 * G * 0.2 / 4000.0
        self.expect_below("mrsim-module, off one radian at 3.9 s", abs(at(log, "module/hinge/angle", 3.9) - 1.0), sag, "rad")
        self.expect_below("mrsim-module, off zero at the end", abs(log["module/hinge/angle"][-1]), 1e-4, "rad")

    def test_crane_spring_oscillates_at_the_root_of_stiffness_over_mass(self) -> None:
        log = run_with_log("crane")
        stiffness, mass, top, slack = 100.0, 4.0, 3.9, 1.0
        rest = top - slack - mass * G / stiffness
        self.expect("crane, period of the spring", mean_period(log["time"], log["bob/z"], rest),
                    2.0 * math.pi * math.sqrt(mass / stiffness), 1e-4, "s")
        self.expect("crane, amplitude of the spring", max(log["bob/z"]) - rest, rest - 2.3, 1e-3, "m")

    def test_crane_load_falls_freely_when_its_hook_detaches(self) -> None:
        log = run_with_log("crane")
        stretch = (2.0 + 50.0) * G / 2e5
        self.expect("crane, stretch of the rope under load", 2.0 - at(log, "crane/hook/z", 2.0), stretch, 0.01, "m")
        self.expect("crane, acceleration of the load", mean_acceleration(log["time"], log["crane/load/z"], 2.1, 2.4), -G,
                    1e-6, "m/s^2")
        self.expect("crane, load on the ground in the end", log["crane/load/z"][-1], 0.2, 1e-3, "m")

    def test_crane_hook_rises_without_the_load(self) -> None:
        log = run_with_log("crane")
        self.assertGreater(max(log["crane/hook/z"][2000:]), 2.0, "it jumps")
        self.expect("crane, stretch of the rope in the end", 2.0 - log["crane/hook/z"][-1], 2.0 * G / 2e5, 0.01, "m")

    def test_snake_crawls_forward_in_a_line(self) -> None:
        log = run_with_log("snake")
        forward = log["snake/head/x"][-1] - log["snake/head/x"][0]
        print(f"snake, way forward: {forward:.3f} m")
        self.assertGreater(forward, 0.2)
        self.expect_below("snake, way to the side", max(map(abs, log["snake/head/y"])), 0.01, "m")

    def test_gait_study_starts_with_the_manual_gait(self) -> None:
        way, hand_set = (run_with_log(name)["snake/head/x"] for name in ("gait-study", "chain-forward"))
        self.assertEqual(way, hand_set[:len(way)])

    def test_two_arms_follow_the_equation_of_their_servos(self) -> None:
        log = run_with_log("two-arms")
        # At the start the targets jump, and the servos, limited to 2 rad/s, follow a ramp.
        ramp, settled = 600, 2500
        worst_law = worst_lag = 0.0
        for arm in ("left", "right"):
            for joint, stiffness, damping in (("joint2", 400.0, 40.0), ("joint4", 300.0, 30.0)):
                q, v, target, torque = (log[f"{arm}/{joint}/{name}"][ramp:] for name in ("angle", "speed", "target", "torque"))
                worst_law = max(worst_law, *(abs(k - (stiffness * (r - x) - damping * w))
                                             for x, w, r, k in zip(q, v, target, torque)))
                worst_lag = max(worst_lag, *(abs(r - x) for x, r in list(zip(q, target))[settled - ramp:]))
        self.expect_below("two-arms, torque off k (target - q) - d q'", worst_law, 1e-9, "N*m")
        # Lag of d/k = 0.1 s behind targets of up to 1.9 rad/s, and 0.1 rad of sag under the weight of the arm.
        self.expect_below("two-arms, joints off their targets", worst_lag, 0.3, "rad")

    def test_two_arms_move_equally_a_quarter_of_a_period_apart(self) -> None:
        log = run_with_log("two-arms")
        quarter, settled = 625, 2500
        difference = max(abs(log[f"left/{joint}/angle"][i + quarter] - log[f"right/{joint}/angle"][i])
                         for joint in ("joint2", "joint4") for i in range(settled, 5000 - quarter))
        self.expect_below("two-arms, left a quarter later against right", difference, 1e-4, "rad")

    def test_motor_hoist_approaches_the_speed_of_its_characteristic_exponentially(self) -> None:
        log = run_with_log("motor-hoist")
        gear, efficiency, load, armature = 600.0, 0.8, 20.0, 36.0
        per_rpm = 2.0 * math.pi / 60.0
        standstill, slope = 0.6, 0.08 / (1000.0 * per_rpm)  # of the table at 4 A: N*m, N*m*s/rad
        speed = (standstill - load * G / (gear * efficiency)) / slope / gear
        time_constant = (load + armature) / (gear**2 * efficiency * slope)
        for time in (0.1, 0.5):
            way = speed * (time - time_constant * (1.0 - math.exp(-time / time_constant)))
            way_of_a_step = speed * 1e-3  # semi-implicit Euler moves by the speed at the end of each step
            self.expect(f"motor-hoist, way in {time} s", at(log, "hoist/rope/position", time), way, way_of_a_step / way,
                        "m")
        self.expect("motor-hoist, lifting speed", at(log, "hoist/rope/speed", 4.0), speed, 1e-4, "m/s")

    def test_motor_hoist_holds_with_the_current_that_balances_the_weight(self) -> None:
        log = run_with_log("motor-hoist")
        self.expect_below("motor-hoist, speed in the end", abs(log["hoist/rope/speed"][-1]), 1e-5, "m/s")
        self.expect("motor-hoist, force in the end", log["hoist/motor/force"][-1], 20.0 * G, 1e-5, "N")

    def test_shaker_follows_its_plan_exactly(self) -> None:
        log = run_with_log("shaker")
        w, amplitude, rounding = 6.0 * math.pi, 0.01104, 1e-14
        error = max(abs(position - amplitude * math.sin(w * time))
                    for time, position in zip(log["time"][1000:], log["shaker/table/position"][1000:]))
        self.expect_below("shaker, error of the table", error, rounding, "m")

    def test_shaker_takes_a_block_along_where_friction_suffices(self) -> None:
        log = run_with_log("shaker")
        table = log["shaker/table/speed"]
        slip = max(abs(a - b) for a, b in zip(log["holding/vx"][1000:], table[1000:]))
        self.expect_below("shaker, slip of the block that holds", slip, 1e-4, "m/s")
        speed = log["slipping/vx"]
        slipping = sorted(abs(speed[i + 1] - speed[i]) / 1e-3 for i in range(1000, 9999)
                          if abs(speed[i] - table[i]) > 1e-3)
        self.assertGreater(len(slipping), 4000)
        # The median: between sliding boxes the engine misses a contact point now and then.
        self.expect("shaker, acceleration of the block that slips", slipping[len(slipping) // 2], 0.3 * G, 3e-3, "m/s^2")

    def test_shaker_moves_the_head_on_its_spring_by_the_transfer_function(self) -> None:
        log = run_with_log("shaker")
        r, z = 0.5, 0.05
        closed = 0.01104 * r**2 / math.hypot(1.0 - r**2, 2.0 * z * r)
        swing = max(abs(position) for position in log["shaker/mast/position"][6000:])
        self.expect("shaker, swing of the mast", swing, closed, 0.01, "m")

    def test_gripper_carries_the_cube_without_losing_it(self) -> None:
        log = run_with_log("gripper")
        offset = [cube - hand for cube, hand in zip(log["gantry/cube/z"], log["gantry/hand/z"])]
        held = slice(3500, 8700)
        self.expect_below("gripper, slip of the cube in the fingers", max(offset[held]) - min(offset[held]), 1e-3, "m")
        self.expect("gripper, height it is carried at", at(log, "gantry/cube/z", 7.4), 0.05 + 0.31, 0.005, "m")
        self.expect("gripper, way it is carried", log["gantry/cube/x"][-1], 0.6, 0.002, "m")
        self.expect("gripper, height it is put down to", log["gantry/cube/z"][-1], 0.05, 1e-3, "m")
        self.expect("gripper, force of a finger", at(log, "gantry/left/force", 7.0), 30.0, 1e-9, "N")

    def test_gripper_drops_a_cube_that_is_too_slippery(self) -> None:
        # Two fingers of 30 N hold up to 60 N times the friction, and the cube weighs 4.9 N.
        slippery = [option for name in ("rubber", "wood")
                    for option in ("--set", f"//material[@name='{name}']/@friction=0.05")]
        log = run_with_log("gripper", *slippery)
        self.expect("gripper, height of a slippery cube", at(log, "gantry/cube/z", 7.4), 0.05, 1e-3, "m")

    def test_gripper_motors_stop_at_their_goals(self) -> None:
        log = run_with_log("gripper")
        # 0.41 m at 0.25 m/s take 1.64 s; the row of that step is the first that shows it.
        arrived = next(t for t, there in zip(log["time"], log["gantry/down/at_goal"]) if t > 0.5 and there == 1.0)
        self.expect("gripper, when the hand is down", arrived, 0.5 + 0.41 / 0.25, 1e-9, "s")
        self.assertEqual(at(log, "gantry/along/reference", 7.4), 0.6)
        self.expect_below("gripper, trolley off its goal", abs(at(log, "gantry/along/position", 10.0) - 0.6), 1e-6, "m")

    def test_magnet_crane_carries_the_block_on_its_spring(self) -> None:
        log = run_with_log("magnet-crane")
        self.expect("magnet-crane, force of the magnet", at(log, "crane/magnet/force", 5.4), 10.0 * G, 1e-3, "N")
        gap = at(log, "crane/pole/z", 5.4) - at(log, "crane/block/z", 5.4) - 0.1
        self.expect("magnet-crane, block below the pole", gap, 10.0 * G / 20e3, 1e-2, "m")
        # The distance that the trolley loses while accelerating it gains while braking.
        self.expect("magnet-crane, way of the trolley", log["crane/trolley/position"][-1], 0.25 * 4.0, 1e-3, "m")
        self.expect("magnet-crane, way of the block", log["crane/block/x"][-1], 0.25 * 4.0, 5e-3, "m")
        self.expect("magnet-crane, height it is put down to", log["crane/block/z"][-1], 0.1, 1e-3, "m")
        self.assertEqual(log["crane/magnet/gripping"][-1], 0.0)

    def test_rocket_accelerates_by_thrust_over_mass(self) -> None:
        log = run_with_log("rocket")
        self.expect("rocket, acceleration of both stages", mean_acceleration(log["time"], log["rocket/second/z"], 0.2, 1.8),
                    150.0 / 8.0 - G, 1e-6, "m/s^2")
        self.expect("rocket, acceleration of the second stage alone",
                    mean_acceleration(log["time"], log["rocket/second/z"], 2.2, 3.8), 40.0 / 2.0 - G, 1e-6, "m/s^2")
        self.expect("rocket, acceleration of the first stage without thrust",
                    mean_acceleration(log["time"], log["rocket/first/z"], 2.2, 3.8), -G, 1e-6, "m/s^2")

    def test_rocket_spins_up_by_torque_over_inertia(self) -> None:
        log = run_with_log("rocket")
        rate = 0.04 * 0.5 / (0.5 * (6.0 + 2.0) * 0.1**2)

        def angle(time: float) -> float:
            return 2.0 * math.atan2(at(log, "rocket/first/qz", time), at(log, "rocket/first/qw", time))

        self.expect("rocket, rate of turn", math.remainder(angle(1.5) - angle(1.0), 2.0 * math.pi) / 0.5, rate, 1e-3, "rad/s")

    def test_drop_bounces_to_the_height_of_its_restitution(self) -> None:
        log = run_with_log("drop")
        fall, restitution = math.sqrt(2.0 * 1.0 / G), 0.8
        again = fall * (1.0 + 2.0 * restitution)  # the second impact
        first, second = round(fall / 0.001) + 5, round(again / 0.001) - 5
        self.expect("drop, height of the first bounce", max(log["ball/z"][first:second]) - 0.05, restitution**2, 0.02, "m")
        on_the_floor = next(t for t, z in zip(log["time"], log["ball/z"]) if z <= 0.05)
        self.expect("drop, time of the fall", on_the_floor, fall, 0.005, "s")

    def test_irmss_arm_follows_the_quintic_of_its_plan(self) -> None:
        log = run_with_log("irmss-arm")
        angle, length, segment = 1.5, 3.0, 0.2
        peak = 15.0 / 8.0 * angle / length
        servo_follows_late = 0.005
        self.expect("irmss-arm, largest speed of joint 3", max(log["arm/joint3/speed"]), peak, servo_follows_late, "rad/s")
        fastest = max(map(math.hypot, log["arm/link4/vx"], log["arm/link4/vy"], log["arm/link4/vz"]))
        joints_below_give_way = 0.01
        self.expect("irmss-arm, largest speed of link 4", fastest, segment * peak, joints_below_give_way, "m/s")
        self.expect("irmss-arm, largest rate of link 4", max(log["arm/link4/wy"]), peak, joints_below_give_way, "rad/s")

    def test_irmss_arm_ends_at_its_target_except_for_its_sag(self) -> None:
        log = run_with_log("irmss-arm")
        # Mass of the load and its distance from joint 3; the servo yields by 1/10000 rad/(N m).
        load = ((2.0, 0.1), (1.5, 0.3), (1.0, 0.5), (0.7, 0.7), (0.3, 0.85))
        sag = G * math.sin(1.5) * sum(mass * distance for mass, distance in load) / 10000.0
        other_joints_sag_too = 0.01
        self.expect("irmss-arm, sag of joint 3", log["arm/joint3/angle"][-1] - 1.5, sag, other_joints_sag_too, "rad")

    def test_six_joints_pass_through_the_rows_of_their_plan(self) -> None:
        log = run_with_log("six-joints")
        rows = ((1.0, "pan", 35.0), (2.0, "elbow", -110.0), (3.0, "wrist-3", -30.0), (6.0, "wrist-2", 70.0), (9.0, "lift", -110.0))
        worst = max(abs(at(log, f"arm/{joint}/target", time) - math.radians(degrees)) for time, joint, degrees in rows)
        self.expect_below("six-joints, targets off the rows", worst, 1e-9, "rad")

    def test_six_joints_repeat_the_same_path_within_their_speed(self) -> None:
        log = run_with_log("six-joints")
        joints = ("pan", "lift", "elbow", "wrist-1", "wrist-2", "wrist-3")
        period = 4000
        again = max(abs(log[f"arm/{joint}/target"][i + period] - log[f"arm/{joint}/target"][i])
                    for joint in joints for i in range(period))
        self.expect_below("six-joints, second round against the first", again, 1e-9, "rad")
        self.expect_below("six-joints, largest speed", max(max(map(abs, log[f"arm/{joint}/speed"])) for joint in joints),
                          3.15, "rad/s")
        # Lag of d/k times the largest speed of a target, and the sag under the weight of the arm.
        lag = max(abs(a - b) for joint in joints for a, b in zip(log[f"arm/{joint}/target"], log[f"arm/{joint}/angle"]))
        self.expect_below("six-joints, joints off their targets", lag, 0.05, "rad")

    def test_wall_follower_circles_the_room_at_the_given_distance(self) -> None:
        log = run_with_log("wall-follower")
        x, y = log["base/chassis/x"], log["base/chassis/y"]
        follows = next(i for i, state in enumerate(log["base/brain/state"]) if state >= 3.0)
        nearest = sorted(min(1.95 - abs(a), 1.45 - abs(b)) for a, b in zip(x[follows:], y[follows:]))
        # The ray of 0.4 m points 45 degrees forward and starts 0.08 m beside the centre.
        weaves = 0.1
        self.expect("wall-follower, distance kept from the wall", nearest[len(nearest) // 2],
                    0.4 * math.sin(math.radians(45.0)) + 0.08, weaves, "m")
        self.assertGreater(nearest[0], 0.2, "it keeps clear of the walls")
        turned = sum(math.remainder(math.atan2(y[i], x[i]) - math.atan2(y[i - 1], x[i - 1]), 2.0 * math.pi)
                     for i in range(follows + 1, len(x)))
        print(f"wall-follower, way round the room: {turned / (2.0 * math.pi):.2f}")
        self.assertGreater(turned, 2.0 * math.pi, "it goes round")
        self.assertEqual(max(log["base/bumper/touch"]), 0.0, "it never bumps")

    def test_faulty_sensor_stops_the_carriage_by_the_other_sensor(self) -> None:
        log = run_with_log("faulty-sensor")
        encoder, ruler = log["carriage/encoder/position"], log["carriage/ruler/position"]
        self.assertEqual(encoder[499:], [encoder[499]] * len(encoder[499:]), "the encoder sticks")
        noticed = log["carriage/brain/state"].index(1.0)
        apart = [i for i in range(len(ruler)) if abs(encoder[i] - ruler[i]) > 0.005]
        self.assertEqual(noticed, apart[0], "the supervisor notices at once that they are 5 mm apart")
        # The brake removes kp h / m = 2 % of the speed in every step: the distance is a geometric series.
        way = log["carriage/ruler/speed"][noticed] * 1e-3 * (1.0 - 0.02) / 0.02
        self.expect("faulty-sensor, way to the stop", ruler[-1] - ruler[noticed], way, 1e-9, "m")


if __name__ == "__main__":
    unittest.main()
