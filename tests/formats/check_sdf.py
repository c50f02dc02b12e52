#!/usr/bin/env python3
"""An SDF world with an arm, an included gripper and objects: the links have the poses that the file describes, a passive arm
conserves energy, and a scenario that was exported and imported again moves alike."""

import json
import math
import os
import random
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from command import CommandTest, lockstep  # noqa: E402

CELL = Path(__file__).resolve().parent / "sdf" / "cell.sdf"
NANOMETRE = 1e-9


def turn(point: tuple, angle: float) -> tuple:
    """A point (x, z) turned about +y."""
    x, z = point
    return x * math.cos(angle) + z * math.sin(angle), -x * math.sin(angle) + z * math.cos(angle)


class Sdf(CommandTest):
    def import_file(self, file: Path, name: str = "out.xml") -> tuple:
        scenario = self.path / name
        return scenario, self.do("import", file, "-o", scenario)

    def test_links_are_where_the_joints_put_them(self) -> None:
        scenario, report = self.import_file(CELL)
        self.assertIn("4 models: 1 robots with 5 links and 3 joints that move, 2 objects, 1 grounds", report)
        generator = random.Random(3)
        for _ in range(10):
            shoulder, elbow, slide = generator.uniform(-2, 2), generator.uniform(-2, 2), generator.uniform(0, 0.03)
            poses = json.loads(self.do("poses", scenario, "--json", "--joint", f"arm/shoulder={shoulder!r}", "--joint", f"arm/elbow={elbow!r}",
                                       "--joint", f"arm/hand__slide={slide!r}"))
            # The arm is in the x-z plane; the forearm is inclined by 0.3 rad at zero.
            x, z = turn((0.0, 0.4), shoulder)
            fore = (x, 0.0, 0.1 + z)
            angle = shoulder + elbow + 0.3
            dx, dz = turn((0.3 + 0.05, 0.0), angle)
            finger = (fore[0] + dx, 0.03 - slide, fore[2] + dz)
            for link, expected in (("fore", fore), ("hand__finger", finger)):
                for found, wanted in zip(poses[f"arm/{link}"]["position"], expected):
                    self.assertAlmostEqual(found, wanted, delta=NANOMETRE, msg=link)
            self.assertAlmostEqual(abs(poses["arm/fore"]["orientation"][0]), abs(math.cos(angle / 2)), delta=NANOMETRE)

    def test_a_scenario_comes_back_from_sdf_and_moves_alike(self) -> None:
        scenario, _ = self.import_file(CELL)
        report = self.do("export", scenario, "-o", self.path / "again.sdf")
        self.assertIn("4 models in a world", report)
        again, _ = self.import_file(self.path / "again.sdf", "again.xml")
        results = [json.loads(self.do("run", each, "--for", "0.5s", "--json")) for each in (scenario, again)]
        for result in results:
            self.assertEqual(result["status"], "ok")
        for kind in ("kinetic", "potential"):
            self.assertAlmostEqual(results[0]["energy"][kind], results[1]["energy"][kind], delta=1e-6)

    def test_one_robot_of_a_world_can_be_exported(self) -> None:
        scenario, _ = self.import_file(CELL)
        self.do("export", scenario, "-o", self.path / "arm.sdf", "--robot", "arm")
        text = (self.path / "arm.sdf").read_text(encoding="utf-8")
        self.assertNotIn("<world", text)
        self.assertEqual(text.count("<model"), 1)
        done = lockstep("export", scenario, "-o", self.path / "arm.sdf", "--robot", "am")
        self.assertEqual((done.returncode, done.stderr), (2, "--robot: error: there is no robot 'am'; did you mean 'arm'?\n"))

    def test_macros_are_expanded_first(self) -> None:
        file = self.path / "ball.sdf.xacro"
        file.write_text('<sdf version="1.9" xmlns:xacro="x"><xacro:arg name="r" default="0.1"/><model name="ball"><link name="body"><inertial auto="true"/>'
                        '<collision name="c"><geometry><sphere><radius>$(arg r)</radius></sphere></geometry></collision></link></model></sdf>',
                        encoding="utf-8")
        scenario = self.path / "ball.xml"
        self.do("import", file, "-o", scenario, "r:=0.25")
        self.assertIn('radius="0.25"', scenario.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
