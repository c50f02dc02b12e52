#!/usr/bin/env python3
"""Motion of the chain robots of scenarios/ and readings of their sensors. Prints each figure."""

import math
import unittest

from running import Figures, at, run_with_log

G = 9.81  # m/s^2, the default of a scenario


def up_axis(log: dict, name: str, i: int) -> tuple:
    """The z axis of a body in the world."""
    w, x, y, z = (log[f"{name}/q{axis}"][i] for axis in "wxyz")
    return 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)


class Chains(Figures):
    def chain_motion(self, scenario: str, *options: str) -> tuple:
        """Mean speed of a chain robot along its initial heading, and mean rate of its heading, over three periods of
        4 s after the first: (m/s, rad/s)."""
        log = run_with_log(scenario, *options)
        first, last = round(4.0 / log["time"][1]), round(16.0 / log["time"][1])

        def heading(i: int) -> float:
            w, x, y, z = (log[f"snake/head/q{axis}"][i] for axis in "wxyz")
            return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))

        way = log["snake/head/x"][last] - log["snake/head/x"][first]
        turn = math.remainder(heading(last) - heading(first), 2.0 * math.pi)
        print(f"{scenario}: {way / 12.0:.4f} m/s along x, {turn / 12.0:.4f} rad/s to the left")
        return way / 12.0, turn / 12.0

    def test_chain_forward_moves_forward_in_a_line(self) -> None:
        speed, turn = self.chain_motion("chain-forward")
        self.assertGreater(speed, 0.005)
        self.expect_below("chain-forward, turn", abs(turn), 0.001, "rad/s")

    def test_chain_forward_large_is_faster(self) -> None:
        speed, turn = self.chain_motion("chain-forward-large")
        self.assertGreater(speed, 1.5 * self.chain_motion("chain-forward")[0])
        self.expect_below("chain-forward-large, turn", abs(turn), 0.001, "rad/s")

    def test_chain_turn_wide_turns_left(self) -> None:
        _, turn = self.chain_motion("chain-turn-wide")
        self.assertGreater(turn, 0.01)

    def test_chain_turn_sharp_turns_faster(self) -> None:
        _, turn = self.chain_motion("chain-turn-sharp")
        self.assertGreater(turn, 1.3 * self.chain_motion("chain-turn-wide")[1])

    def test_chain_gaits_starts_forward_and_reverses_on_command(self) -> None:
        forward, _ = self.chain_motion("chain-gaits")
        back, _ = self.chain_motion("chain-gaits", "--set", "//gait/@action=back")
        self.assertGreater(forward, 0.05)
        self.assertLess(back, -0.05)

    def test_push_ball_measures_the_ball_approaching_and_rolling_away(self) -> None:
        log = run_with_log("push-ball")
        moved = next(i for i, x in enumerate(log["ball/x"]) if x > log["ball/x"][0] + 1e-3)
        print(f"push-ball, bump after {log['time'][moved]:.1f} s, ball at the end {log['ball/x'][-1]:.2f} m, "
              f"head {log['robot/head/x'][-1]:.2f} m")
        distance = log["robot/eye1_front/distance"]
        # The sensor hits the ball 32 mm above the ground, where its surface is sqrt(r^2 - (r - 32 mm)^2) from its axis.
        self.expect("push-ball, distance at the start", distance[1], 0.25 - math.sqrt(0.1**2 - 0.068**2), 0.01, "m")
        self.expect_below("push-ball, nearest", min(distance[:moved]), 0.03, "m")
        self.assertGreater(log["ball/x"][-1] - log["robot/head/x"][-1], 0.5, "the ball rolls away")
        # At the end the ball is out of range at times, and when the head points down the sensor hits the ground.
        last_period = distance[-2000:]
        self.assertEqual(max(distance), 1.0)
        self.assertLess(min(last_period), 0.5)

    def test_push_ball_presses_the_ground_when_its_head_is_down(self) -> None:
        log = run_with_log("push-ball")
        heights = log["robot/head/z"][2000:]
        forces = [-force for force in log["robot/pad1_bottom/force_z"][2000:]]
        low = min(heights)
        down = [force for z, force in zip(heights, forces) if z < low + 0.5e-3]
        print(f"push-ball, force under the head when it is down: {sum(down) / len(down):.2f} N")
        self.assertGreater(sum(down) / len(down), 0.5)

    def test_push_ball_measures_only_the_plate_when_its_head_is_up(self) -> None:
        log = run_with_log("push-ball")
        # In the air a plate of 1 g needs the force m (a - g); its centre is 31 mm below that of the head. The
        # acceleration before an instant is the second difference of the positions up to it.
        plate = [[log[f"robot/head/{axis}"][i] - 0.031 * up for axis, up in zip("xyz", up_axis(log, "robot/head", i))]
                 for i in range(len(log["time"]))]
        low, step = min(log["robot/head/z"][2000:]), log["time"][1]
        worst = 0.0
        for i in range(2000, len(plate)):
            if log["robot/head/z"][i] < low + 10e-3:
                continue
            a = [(plate[i][k] - 2.0 * plate[i - 1][k] + plate[i - 2][k]) / step**2 for k in range(3)]
            force = math.hypot(*(log[f"robot/pad1_bottom/force_{axis}"][i] for axis in "xyz"))
            worst = max(worst, abs(force - 0.001 * math.hypot(a[0], a[1], a[2] + G)))
        a_fifth_of_its_weight = 0.2 * 0.001 * G  # differences are of first order, and an impact shakes it with 4 g
        self.expect_below("push-ball, force when up off m (a - g)", worst, a_fifth_of_its_weight, "N")

    def test_gaits_move_in_the_direction_of_their_actions(self) -> None:
        log = run_with_log("gaits")

        def moved(first: float, last: float) -> tuple:
            """Displacement along and across the initial direction of the body, and its rotation."""
            def lies(time: float) -> complex:
                return complex(at(log, "snake/head/x", time), at(log, "snake/head/y", time)) - complex(
                    at(log, "snake/tail/x", time), at(log, "snake/tail/y", time))
            way = complex(at(log, "snake/middle/x", last) - at(log, "snake/middle/x", first),
                          at(log, "snake/middle/y", last) - at(log, "snake/middle/y", first))
            direction = lies(first) / abs(lies(first))
            way *= direction.conjugate()
            turned = lies(last) / lies(first)
            return way.real, way.imag, math.atan2(turned.imag, turned.real)

        forward, _, _ = moved(0.0, 4.0)
        print(f"gaits, forward: {forward:.3f} m in 4 s")
        self.assertGreater(forward, 0.2)
        _, left, _ = moved(9.0, 12.0)
        print(f"gaits, sidewinding: {left:.3f} m to the left in 3 s")
        self.assertLess(left, -0.2, "to the right")
        _, left, _ = moved(13.0, 15.0)
        print(f"gaits, rolling: {left:.3f} m to the left in 2 s")
        self.assertGreater(left, 0.1)

    def test_gaits_blend_without_a_jump(self) -> None:
        log = run_with_log("gaits")
        for joint in range(1, 12):
            target = log[f"snake/joint{joint}/target"]
            # Held for 5 steps; the waves move by up to 4 rad/s, and their phases by up to 6 in a second.
            self.expect_below(f"gaits, step of joint{joint}", max(abs(b - a) for a, b in zip(target, target[1:])), 0.13,
                              "rad")

    def test_snake_hills_are_crossed(self) -> None:
        log = run_with_log("snake-hills")
        way = math.hypot(log["snake/middle/x"][-1] - log["snake/middle/x"][500],
                         log["snake/middle/y"][-1] - log["snake/middle/y"][500])
        print(f"snake-hills, way in 9 s: {way:.3f} m")
        self.assertGreater(way, 0.4)
        heights = log["snake/middle/z"][500:]
        self.assertGreater(max(heights) - min(heights), 0.02, "it went up and down")

    def test_snake_script_moves_the_joints_as_its_formula_says(self) -> None:
        log = run_with_log("snake-script")
        period = 5  # steps
        worst = max(abs(log[f"snake/joint{2 * k + 1}/target"][i] -
                        0.5 * math.sin(2.0 * math.pi * log["time"][i] + 1.2 * k))
                    for k in range(6) for i in range(0, len(log["time"]), period))
        self.expect_below("snake-script, targets off the wave", worst, 1e-9, "rad")
        way = log["snake/head/x"][-1] - log["snake/head/x"][0]
        print(f"snake-script, way of the head: {way:.3f} m")
        self.assertGreater(way, 0.3)


if __name__ == "__main__":
    unittest.main()
