#!/usr/bin/env python3
"""Drives scenarios/machines/delta.xml with the controllers of examples/delta in separate processes, over every transport.

The environment is that of cmake/lockstep_module.cmake: LOCKSTEP, LOCKSTEP_SOURCE_DIR.
"""

import csv
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
C_CONTROLLER = shlex.quote(str(Path(LOCKSTEP).parent / "delta_controller"))
PYTHON_CONTROLLER = shlex.join([sys.executable, str(ROOT / "examples/delta/delta_controller.py")])
SECONDS_PER_RUN = 120

os.environ["PYTHONPATH"] = f"{ROOT / 'clients/python'}:{os.environ.get('PYTHONPATH', '')}"
sys.path[:0] = [str(ROOT / "clients/python"), str(ROOT / "examples/delta"), str(ROOT / "tests")]
import delta_controller  # noqa: E402
from transports import STREAMS, local_address  # noqa: E402


class Wires(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def drive(self, address: str, *options: str, controller: str = C_CONTROLLER) -> dict:
        """Runs the scenario for 2 s. The timeout is long, so that a busy machine causes no connection errors."""
        arguments = [LOCKSTEP, "run", str(ROOT / "scenarios/machines/delta.xml"), "--json", "--controller", controller,
                     "--set", f"//connections/wire/@address={address}", "--set", "//connections/wire/@timeout=60 s",
                     "--set", "/scenario/@duration=2 s", *options]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS_PER_RUN, check=False)
        self.assertEqual(done.returncode, 0, f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")
        result = json.loads(done.stdout)
        self.assertEqual(result["status"], "ok")
        return result

    def drive_with_log(self, acceleration: float, *options: str, controller: str) -> tuple:
        """Maximum path error of the plate and maximum loop gap, m."""
        log = self.folder / "log.csv"
        self.drive("tcp:127.0.0.1:0", "--log", str(log), *options, controller=f"{controller} - {acceleration}")
        off_path = gap = 0.0
        with open(log, encoding="utf-8") as lines:
            rows = csv.reader(lines)
            names = [name.split(" [")[0] for name in next(rows)]
            columns = [names.index(name) for name in ("time", "delta/plate/x", "delta/plate/y", "delta/plate/z",
                                                      "delta/loops/gap")]
            for row in rows:
                time, *place, open_by = (float(row[column]) for column in columns)
                off_path = max(off_path, math.dist(place, delta_controller.path(time, acceleration)[0]))
                gap = max(gap, open_by)
        print(f"{controller.split('/')[-1]} at {acceleration / 9.81:g} g: off the path by {1e3 * off_path:.4f} mm, "
              f"loops open by {1e3 * gap:.5f} mm")
        return off_path, gap

    def test_every_wire_gives_the_same_bits(self) -> None:
        hashes = {wire: self.drive(local_address(wire, self.folder, "delta"))["hash"] for wire in STREAMS}
        self.assertEqual(len(set(hashes.values())), 1, hashes)

    def test_another_path_gives_other_bits(self) -> None:
        # Otherwise equal hashes would say nothing about the exchanged messages.
        hashes = {self.drive("tcp:127.0.0.1:0", "--for", "0.5 s", controller=f"{C_CONTROLLER} - {acceleration}")["hash"]
                  for acceleration in (98.1, 98.0)}
        self.assertEqual(len(hashes), 2)

    def test_the_controller_in_c_follows_ten_g(self) -> None:
        off_path, gap = self.drive_with_log(98.1, controller=C_CONTROLLER)
        self.assertLess(off_path, 0.5e-3)
        self.assertLess(gap, 0.1e-3)

    def test_the_controller_in_python_follows_at_200_hertz(self) -> None:
        off_path, gap = self.drive_with_log(9.81, "--set", "//connections/wire/@period=5 ms",
                                            controller=PYTHON_CONTROLLER)
        self.assertLess(off_path, 0.5e-3)
        self.assertLess(gap, 0.1e-3)


if __name__ == "__main__":
    unittest.main()
