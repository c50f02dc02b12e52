#!/usr/bin/env python3
"""Robots with macros: lockstep import expands them, and the result has the masses and poses that the macros describe. Arguments
come from the command line; errors name the user's file and the calls of macros."""

import json
import math
import os
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from command import CommandTest, lockstep  # noqa: E402

WALKER = Path(__file__).resolve().parent / "xacro" / "walker.urdf.xacro"
SPACING, WIDTH, SPLAY = 0.25, 0.2, math.radians(10)


class Xacro(CommandTest):
    def import_robot(self, file: Path, *arguments: object) -> tuple:
        scenario = self.path / "out.xml"
        return scenario, self.do("import", file, "-o", scenario, *arguments)

    def rejection(self, text: str, *arguments: object) -> str:
        file = self.path / "r.urdf.xacro"
        file.write_text(text, encoding="utf-8")
        done = lockstep("import", file, "-o", self.path / "out.xml", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr.replace(str(self.path) + "/", "")

    def check_walker(self, scenario: Path, pairs: int) -> None:
        poses = json.loads(self.do("poses", scenario, "--json", "--joint", "walker/hip_0_left=0.3"))
        for i in range(pairs):
            for name, side in (("left", 1), ("right", -1)):
                pose = poses[f"walker/leg_{i}_{name}"]
                expected = ((i + 0.5) * SPACING - SPACING * pairs / 2, side * WIDTH / 2, 0.0)
                for found, wanted in zip(pose["position"], expected):
                    self.assertAlmostEqual(found, wanted, delta=1e-9)
                # About x by the splay, then about y by the joint: w of the product is that of the half angles.
                angle = 0.3 if (i, name) == (0, "left") else 0.0
                self.assertAlmostEqual(abs(pose["orientation"][0]), math.cos(SPLAY / 2) * math.cos(angle / 2), delta=1e-9)

    def test_macros_includes_and_yaml_make_a_robot(self) -> None:
        scenario, report = self.import_robot(WALKER)
        self.assertIn("xacro: 11 calls of macros, 1 included files", report)
        self.assertIn("arguments of the file have their defaults (--arg): has_head=false, name=walker, pairs=2", report)
        self.check_walker(scenario, 2)
        text = scenario.read_text(encoding="utf-8")
        # A box of 0.5 x 0.2 x 0.05 m and 3 kg; a leg of 0.02 x 0.02 x 0.3 m and 0.4 kg.
        self.assertIn('mass="3"', text)
        self.assertEqual(text.count('mass="0.4"'), 4)
        self.assertAlmostEqual(float(text.split('diagonal="')[1].split()[2].split('"')[0]), 3 / 12 * (0.5**2 + 0.2**2), delta=1e-12)

    def test_arguments_are_given_in_two_ways(self) -> None:
        for arguments in (("--arg", "pairs=3", "--arg", "has_head=true"), ("pairs:=3", "has_head:=true"), ("--arg", "pairs:=3", "has_head:=true")):
            scenario, report = self.import_robot(WALKER, *arguments)
            self.check_walker(scenario, 3)
            self.assertIn("(--arg): name=walker", report)
            self.assertIn('name="head"', scenario.read_text(encoding="utf-8"))

    def test_unknown_arguments_are_errors(self) -> None:
        done = lockstep("import", WALKER, "-o", self.path / "out.xml", "pair:=3")
        self.assertEqual((done.returncode, done.stderr), (2, "--arg: error: the file has no argument 'pair'; did you mean 'pairs'?\n"))
        done = lockstep("import", WALKER, "pairs=3", "-o", self.path / "out.xml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'pairs=3' is neither the file nor an argument of it; expected NAME:=VALUE", done.stderr)

    def test_errors_have_the_place_in_the_file_of_the_user(self) -> None:
        head = '<robot name="r" xmlns:xacro="x">\n'
        self.assertEqual(self.rejection(head + '<xacro:macro name="m"><link nam="a"/>\n<link name="${nme}"/></xacro:macro>\n<xacro:m/></robot>'),
                         "r.urdf.xacro:3:7: error: unknown property 'nme'; in macro 'm' called at r.urdf.xacro:4:1\n")
        # Errors of URDF, after the macros were expanded.
        error = self.rejection(head + '<xacro:macro name="m"><link name="a"/>\n<link name="a"/></xacro:macro>\n<xacro:m/></robot>')
        self.assertEqual(error, "r.urdf.xacro:3:1: error: there is another link 'a'\n")

    def test_the_result_is_the_same_every_time(self) -> None:
        texts = {self.import_robot(WALKER)[0].read_text(encoding="utf-8") for _ in range(3)}
        self.assertEqual(len(texts), 1)


if __name__ == "__main__":
    unittest.main()
