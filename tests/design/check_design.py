#!/usr/bin/env python3
"""Makes robots out of parts with `lockstep design`, checks them, and runs them."""

import csv
import json
import math
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from command import CommandTest, lockstep  # noqa: E402

PARTS = ROOT / "scenarios" / "parts"
MATERIAL = Path(os.environ.get("LOCKSTEP_MATERIAL", ROOT.parent / "shared" / "material"))
FOLLOWER = MATERIAL / "step" / "low_cost_robot_follower_arm.step"


def read_log(file: Path) -> dict:
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(line for line in stream if not line.startswith("#")))
    names = [name.split(" [")[0] for name in rows[0]]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names)}


class Designs(CommandTest):
    def log_of(self, scenario: Path, *arguments: object) -> dict:
        self.do("run", scenario, "--log", self.path / "log.csv", *arguments)
        return read_log(self.path / "log.csv")

    def test_generated_files_are_current(self) -> None:
        written = subprocess.run([sys.executable, PARTS / "make_seven_segments.py"], capture_output=True, text=True, check=True)
        self.assertEqual(written.stdout, (PARTS / "seven-segments.obj").read_text(encoding="utf-8"))
        self.assertEqual(self.do("design", "reference"), (ROOT / "docs" / "design-reference.md").read_text(encoding="utf-8"))

    def test_seven_segments_move_like_the_handwritten_arm(self) -> None:
        self.do("design", "run", PARTS / "seven-segments.xml", "-o", self.path / "arm.xml")
        ours = self.log_of(self.path / "arm.xml")
        other = self.log_of(ROOT / "scenarios" / "arms" / "irmss-arm.xml")
        self.assertAlmostEqual(ours["arm/joint3/angle"][-1], 1.5, delta=2e-3)
        # Link 4 starts 0.2 m above joint 3: in both, its speed is 0.2 m times that of the joint.
        for name in ("arm/link4/vx", "arm/link4/vz"):
            differences = [abs(a - b) for a, b in zip(ours[name], other[name])]
            self.assertGreater(max(map(abs, other[name])), 0.05)
            self.assertLess(max(differences), 0.01 * max(map(abs, other[name])) + 1e-3, name)

    def test_embedded_and_written_meshes_move_identically(self) -> None:
        hashes = []
        for options in ((), ("--embed",)):
            self.do("design", "run", PARTS / "seven-segments.xml", "-o", self.path / "arm.xml", *options)
            hashes.append(json.loads(self.do("run", self.path / "arm.xml", "--for", "0.5s", "--json"))["hash"])
        self.assertEqual(hashes[0], hashes[1])

    def test_check_finds_no_errors_in_seven_segments(self) -> None:
        found = json.loads(self.do("design", "check", PARTS / "seven-segments.xml", "--json"))
        self.assertEqual(found["errors"], 0)
        self.assertTrue(any("comes to 0.2 0 0.5" in line or "of link 'link4'" in line for line in found["findings"]))
        self.assertTrue(any("free motion: the energy stays" in line for line in found["findings"]), found)

    def test_check_finds_a_wrong_axis_by_forward_kinematics(self) -> None:
        text = (PARTS / "seven-segments.xml").read_text(encoding="utf-8")
        for name in ("seven-segments.obj", "joint3-plan.csv"):
            (self.path / name).write_bytes((PARTS / name).read_bytes())
        script = self.path / "script.xml"
        script.write_text(text.replace('part="hub3" axis="y"', 'part="hub3" axis="x"'), encoding="utf-8")
        done = lockstep("design", "check", script)
        self.assertEqual(done.returncode, 1)
        self.assertIn("expectation 'joint 3 at 90 degrees': the point 0 0 0.7 of link 'link4' is at", done.stdout)

    def test_images_show_each_link(self) -> None:
        done = lockstep("design", "check", PARTS / "seven-segments.xml", "--images", self.path / "links")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        images = sorted(file.name for file in (self.path / "links").iterdir())
        self.assertEqual(images[:2], ["arm-base.png", "arm-link1.png"])
        self.assertEqual(len(images), 8)  # the tool has nothing to show
        self.assertTrue(all(file.stat().st_size > 2000 for file in (self.path / "links").iterdir()))

    def test_commands_add_and_remove_operations(self) -> None:
        (self.path / "arm.obj").write_bytes((PARTS / "seven-segments.obj").read_bytes())
        script = self.path / "arm.xml"
        self.do("design", "new", self.path / "arm.obj", "-o", script, "--unit", "1 mm")
        self.do("design", "apply", script, "make_link", "name=base", "parts=base")
        before = script.read_text(encoding="utf-8")
        self.do("design", "apply", script, "make_link", "name=link1", "parent=base", "parts=segment1", "joint/name=j",
                "joint/axis=0 0 1", "joint/position=0 0 0.1")
        self.do("design", "undo", script)
        self.assertEqual(script.read_text(encoding="utf-8"), before)
        rejected = lockstep("design", "apply", script, "make_link", "name=b", "parent=bas", "parts=segment1")
        self.assertEqual(rejected.returncode, 2)
        self.assertIn("there is no link 'bas'; did you mean 'base'?", rejected.stderr)
        self.assertEqual(script.read_text(encoding="utf-8"), before)

    @unittest.skipUnless(FOLLOWER.exists(), "third-party test files are not available")
    def test_follower_arm_becomes_a_robot_of_five_joints(self) -> None:
        begin = time.monotonic()
        self.do("design", "run", PARTS / "follower-arm.xml", "--source", FOLLOWER, "-o", self.path / "follower.xml")
        print(f"follower arm: {time.monotonic() - begin:.1f} s")
        summary = json.loads(self.do("check", self.path / "follower.xml", "--json"))
        self.assertEqual(summary["degrees_of_freedom"], 5)
        log = self.log_of(self.path / "follower.xml")
        for joint, wanted in (("joint1", 0.8), ("joint2", -0.4), ("joint3", 0.3), ("joint4", 0.3), ("joint5", 0.5)):
            self.assertAlmostEqual(log[f"follower/{joint}/angle"][2500], wanted, delta=0.05, msg=joint)
        # Under gravity alone: without its servos the arm falls, and its links stay connected.
        fallen = self.log_of(self.path / "follower.xml", "--set", "//actuators/servo/@max_effort=0", "--for", "1s")
        self.assertGreater(abs(fallen["follower/joint2/angle"][-1]) + abs(fallen["follower/joint3/angle"][-1]), 0.2)
        self.assertTrue(all(math.isfinite(z) for z in fallen["follower/tip/z"]))

    @unittest.skipUnless(FOLLOWER.exists(), "third-party test files are not available")
    def test_follower_arm_passes_its_checks(self) -> None:
        done = lockstep("design", "check", PARTS / "follower-arm.xml", "--source", FOLLOWER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
