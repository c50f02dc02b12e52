#!/usr/bin/env python3
"""Motion of a snake robot of eleven modules with each gait. Prints the speeds that docs/gaits.md lists.

Every figure is an average over 20 s; a thorough run adds a second step size, so that no figure depends on chance.
"""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
SCENARIO = (ROOT / "scenarios" / "chains" / "chain-gaits.xml").read_text(encoding="utf-8")
CONTROLLER = re.search(r"<gait .*?/>", SCENARIO)[0]
STEPS = ("2 ms", "1 ms") if os.environ.get("LOCKSTEP_THOROUGH") else ("2 ms",)
SETTLED = 2.0  # s until the wave has its full amplitude
BODY = 0.858  # m from the nose to the tail
GROUND = "<ground/>"
HILLS = '<terrain name="hills" src="terrain/hills.png" size="8 8 0.06"/>'


class Motion(NamedTuple):
    """Averages over a run."""
    forward: float  # m/s along the body
    left: float  # m/s across it
    turn: float  # rad/s, to the left
    roll: float  # rad/s of the middle about its long axis, right-handed about forward
    way: float  # m/s in a straight line from its start
    straight: float  # m/s of that line along the initial direction of the body


class Run(NamedTuple):
    log: dict
    result: dict


class Robot:
    """A folder with the robot and a scenario."""

    def __init__(self, folder: str):
        self.folder = Path(folder)
        for name in ("robots", "terrain", "scripts"):
            shutil.copytree(ROOT / "scenarios" / "chains" / name, self.folder / name)

    def run(self, controller: str, length: str, *options: str, step: str = "2 ms", world: str = GROUND,
            height: float = 0.03) -> Run:
        scenario, log = self.folder / "scenario.xml", self.folder / "log.csv"
        scenario.write_text(SCENARIO.replace(CONTROLLER, controller).replace(GROUND, world), encoding="utf-8")
        command = [LOCKSTEP, "run", str(scenario), "--for", length, "--set", f"/scenario/@step={step}",
                   "--set", f"//robot/@position=0 0 {height}", "--json", "--log", str(log), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)} exited with {done.returncode}\n{done.stdout}{done.stderr}")
        with open(log, encoding="utf-8") as lines:
            rows = csv.reader(lines)
            names = [name.split(" [")[0] for name in next(rows)]
            columns = zip(*(map(float, row) for row in rows))
            return Run(dict(zip(names, map(list, columns))), json.loads(done.stdout))


def gait(action: str, more: str = "", inside: str = "") -> str:
    return f'<gait name="gait" period="10 ms" action="{action}" {more}>{inside}</gait>'


def heading(log: dict, i: int) -> float:
    return math.atan2(log["snake/head/y"][i] - log["snake/tail/y"][i], log["snake/head/x"][i] - log["snake/tail/x"][i])


def centre(log: dict, i: int) -> complex:
    return sum(complex(log[f"snake/{part}/x"][i], log[f"snake/{part}/y"][i]) for part in ("head", "middle", "tail")) / 3.0


def roll(log: dict, i: int) -> float:
    w, x, y, z = (log[f"snake/middle/q{axis}"][i] for axis in "wxyz")
    return math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))


def difference(a: float, b: float) -> float:
    return math.remainder(a - b, 2.0 * math.pi)


def motion(log: dict) -> Motion:
    times = log["time"]
    interval = round(0.05 / times[1])
    first = round(SETTLED / times[1])
    moments = range(first, len(times), interval)
    length = times[moments[-1]] - times[first]
    forward = left = turned = rolled = 0.0
    for i, k in zip(moments, moments[1:]):
        step = (centre(log, k) - centre(log, i)) * complex(math.cos(heading(log, i)), -math.sin(heading(log, i)))
        forward += step.real
        left += step.imag
        turned += difference(heading(log, k), heading(log, i))
        rolled += difference(roll(log, k), roll(log, i))
    way = centre(log, moments[-1]) - centre(log, first)
    return Motion(forward / length, left / length, turned / length, rolled / length, abs(way) / length,
                  way.real / length)


class Gaits(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.robot = Robot(folder.name)

    def each_step(self, action: str):
        for step in STEPS:
            found = motion(self.robot.run(gait(action), "22 s", step=step).log)
            print(f"{action}, {step}: forward {1e3 * found.forward:.1f} mm/s, left {1e3 * found.left:.1f} mm/s, "
                  f"turn {math.degrees(found.turn):.2f} deg/s, roll {found.roll / (2.0 * math.pi):.3f} turns/s",
                  flush=True)
            yield found

    def test_forward_and_back_go_along_the_body(self) -> None:
        for action, sign in (("forward", 1.0), ("back", -1.0)):
            for found in self.each_step(action):
                self.assertGreater(sign * found.straight, 0.06)
                self.assertLess(abs(found.left), 0.1 * abs(found.forward))
                self.assertLess(abs(found.turn), math.radians(0.5))

    def test_left_and_right_turn_the_heading(self) -> None:
        for action, sign in (("left", 1.0), ("right", -1.0)):
            for found in self.each_step(action):
                self.assertGreater(sign * found.turn, math.radians(3.5))
                self.assertGreater(found.forward, 0.02)

    def test_sidewinding_goes_across_the_body(self) -> None:
        for action, sign in (("sidewind-left", 1.0), ("sidewind-right", -1.0)):
            for found in self.each_step(action):
                self.assertGreater(sign * found.left, 0.08)
                self.assertLess(abs(found.forward), 0.2 * abs(found.left))
                self.assertLess(abs(found.roll), 0.05, "it does not roll")

    def test_sidewinding_goes_to_its_side_with_any_number_of_modules(self) -> None:
        robot = self.robot.folder / "robots" / "chain11.xml"
        eleven = robot.read_text(encoding="utf-8")
        for count in range(5, 21):
            robot.write_text(eleven.replace('"11"', f'"{count}"').replace("module11b", f"module{count}b")
                             .replace("module6a", f"module{(count + 1) // 2}a"), encoding="utf-8")
            for action, sign in (("sidewind-left", 1.0), ("sidewind-right", -1.0)):
                found = motion(self.robot.run(gait(action), "10 s").log)
                print(f"{action}, {count} modules: {1e3 * found.left:.1f} mm/s to the left, "
                      f"turn {math.degrees(found.turn):.2f} deg/s", flush=True)
                self.assertGreater(sign * found.left, 0.03)
                self.assertLess(abs(found.forward), 0.3 * abs(found.left))
                self.assertLess(abs(found.roll), 0.05, "it does not roll")

    def test_rolling_turns_about_the_long_axis_and_goes_to_its_side(self) -> None:
        for action, sign in (("roll-left", 1.0), ("roll-right", -1.0)):
            for found in self.each_step(action):
                cycle = 2.0
                self.assertAlmostEqual(-sign * found.roll, 2.0 * math.pi / cycle, delta=0.1 * 2.0 * math.pi / cycle)
                self.assertGreater(sign * found.left, 0.07)

    def test_rest_stays(self) -> None:
        for found in self.each_step("rest"):
            self.assertLess(found.way, 0.001)

    def test_direction_reverses_the_wave_and_zero_stops_it(self) -> None:
        back = motion(self.robot.run(gait("forward", 'direction="-1"'), "22 s").log)
        self.assertLess(back.straight, -0.06)
        still = motion(self.robot.run(gait("forward", 'direction="0"'), "22 s").log)
        self.assertLess(still.way, 0.002)
        turning = motion(self.robot.run(gait("forward", 'turn="-1" pitch_phase="2"'), "22 s").log)
        self.assertLess(turning.turn, math.radians(-3.5))

    def test_the_gait_of_mrsim_goes_forward_and_turns(self) -> None:
        # Its section 4.3.2: amplitude 0.5, phase 2.5, period 4 s; a yaw offset of 0.3 turns.
        parameters = 'pitch_amplitude="0.5" pitch_phase="2.5" cycle="4 s"'
        for step in STEPS:
            forward = motion(self.robot.run(gait("forward", parameters), "42 s", step=step).log)
            print(f"MRSim forward, {step}: {1e3 * forward.straight:.1f} mm/s", flush=True)
            self.assertGreater(forward.straight, 0.005)
            turning = motion(self.robot.run(gait("forward", parameters + ' yaw_offset="0.3"'), "42 s", step=step).log)
            print(f"MRSim wide turn, {step}: {math.degrees(turning.turn):.2f} deg/s", flush=True)
            self.assertGreater(turning.turn, math.radians(0.5))

    def test_on_hills_it_still_progresses(self) -> None:
        for step in STEPS:
            found = motion(self.robot.run(gait("forward"), "32 s", step=step, world=HILLS, height=0.1).log)
            print(f"hills, {step}: {1e3 * found.way:.1f} mm/s", flush=True)
            self.assertGreater(found.way * 30.0, BODY, "more than its own length in 30 s")
            self.assertGreater(found.forward, 0.02)

    def test_a_restored_robot_continues_bit_for_bit_in_a_new_process(self) -> None:
        # Saved during a blend, between two changes of action.
        changing = gait("forward", inside='<change_action time="2 s" action="sidewind-left"/><change_action time="4 s" action="roll-right"/>')
        live = GROUND + "".join(f'<event at="{time} s" action="set" target="snake/gait/turn" value="{turn}"/>'
                                for time, turn in ((1.5, 0.5), (5.0, -0.5)))
        script = '<lua name="brain" src="scripts/forward.lua" period="10 ms"/>'
        for controller, world in ((changing, live), (script, GROUND)):
            snapshot = str(self.robot.folder / "snapshot")
            whole = self.robot.run(controller, "6 s", world=world).result["hash"]
            for saved_at in (2.5, 4.0, 4.002):
                self.robot.run(controller, f"{saved_at} s", "--save", snapshot, world=world)
                rest = self.robot.run(controller, f"{6.0 - saved_at:.3f} s", "--load", snapshot, world=world)
                self.assertEqual(rest.result["hash"], whole)

    def test_a_signal_selects_the_action(self) -> None:
        for number, sign in ((7, 1.0), (8, -1.0)):
            choice = f'<event at="1 s" action="set" target="snake/gait/action" value="{number}"/>'
            found = motion(self.robot.run(CONTROLLER, "12 s", world=GROUND + choice).log)
            self.assertGreater(sign * found.left, 0.05)

    def test_a_script_gives_the_same_motion_as_the_gait(self) -> None:
        by_gait = self.robot.run(gait("forward", 'blend="0 s"'), "8 s").log
        by_script = self.robot.run('<lua name="brain" src="scripts/forward.lua" period="10 ms"/>', "8 s").log
        for signal in ("joint1/target", "joint11/target", "head/x", "head/y", "head/z", "tail/x", "middle/qw"):
            self.assertEqual(by_gait[f"snake/{signal}"], by_script[f"snake/{signal}"], signal)

    def test_targets_never_jump(self) -> None:
        changes = "".join(f'<change_action time="{1.3 * i + 0.7:.1f} s" action="{action}"/>' for i, action in enumerate(
            ("left", "sidewind-right", "rest", "roll-left", "back", "sidewind-left", "roll-right", "forward")))
        log = self.robot.run(gait("forward", inside=changes), "14 s").log
        # Amplitudes of up to 0.6 at up to 1 Hz, phases that change by up to 6 * 2.4 rad within a second.
        fastest = 0.6 * (2.0 * math.pi + 1.5 * 14.4) + 1.0
        for i in range(1, 12):
            target = log[f"snake/joint{i}/target"]
            largest = max(abs(b - a) for a, b in zip(target, target[1:]))
            self.assertLess(largest, fastest * 0.01, f"joint{i}")
        self.assertGreater(max(log["snake/joint1/target"]), 0.3)


if __name__ == "__main__":
    unittest.main()
