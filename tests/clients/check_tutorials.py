#!/usr/bin/env python3
"""The programs in the tutorials are those of examples/controllers, and do what the text says. Their commands are run by
the test docs."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from transports import TRANSPORTS, local_address  # noqa: E402

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
CONTROLLERS = (f"{os.environ['LOCKSTEP_BUILD_DIR']}/bin/hold_angle",
               f"{sys.executable} {ROOT}/examples/controllers/hold_angle.py")
GRAVITY = 0.015  # rad: the torque that holds the arm is at most 4.5 N m, the gain 300 N m/rad


class Tutorials(unittest.TestCase):
    def test_the_programs_of_the_pages_are_the_examples(self) -> None:
        for page, name in (("c-client.md", "hold_angle.c"), ("python-client.md", "hold_angle.py")):
            with self.subTest(page):
                text = (ROOT / "docs" / page).read_text(encoding="utf-8")
                shown = re.search(rf"^```\w+ {re.escape(name)}\n(.*?)^```", text, re.M | re.S)
                self.assertEqual(shown[1], (ROOT / "examples" / "controllers" / name).read_text(encoding="utf-8"))

    def test_both_hold_the_arm_with_the_same_bits_over_every_transport(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            hashes = set()
            for address in (local_address(kind, folder, "tutorial") for kind in TRANSPORTS):
                for controller in CONTROLLERS:
                    with self.subTest(address=address, controller=controller):
                        done = subprocess.run(
                            [os.environ["LOCKSTEP"], "run", str(ROOT / "scenarios" / "arms" / "wired-arm.xml"), "--for", "3s",
                             "--set", f"//connections/wire/@address={address}", "--controller", controller, "--json",
                             "--log", f"{folder}/arm.csv"],
                            env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)
                        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                        hashes.add(json.loads(done.stdout)["hash"])
                        with open(f"{folder}/arm.csv", encoding="utf-8") as log:
                            last = list(csv.DictReader(log))[-1]
                        self.assertAlmostEqual(float(last["arm/shoulder/angle [rad]"]), 0.5, delta=GRAVITY)
            self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main()
