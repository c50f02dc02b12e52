#!/usr/bin/env python3
"""The energy balance of every scenario closes: what neither forces, damping, friction nor contacts explain stays below
the bound of the integrator, and contacts add nothing. docs/conventions.md states the bounds."""

import json
import re
import shlex
import subprocess
import unittest
from pathlib import Path

from running import FILES, LOCKSTEP, OUTPUT, ROOT, SCENARIOS, run

# Of the energy that the bodies have and have exchanged.
BOUNDS = {"euler": 0.02, "implicit": 0.02, "rk4": 0.002}
ROUNDING = 1e-12  # J

MOTOR_PROGRAM = """#include <kipr/wombat.h>
int main() { motor(0, 60); motor(3, 60); msleep(1500); ao(); msleep(500); return 0; }
"""
CREATE_PROGRAM = """#include <kipr/wombat.h>
int main() { create_connect(); create_drive_direct(150, 150); msleep(1500); create_stop(); msleep(500); return 0; }
"""


def integrator_of(scenario: str) -> str:
    found = re.search(r'<engine[^>]*integrator="(\w+)"', FILES[scenario].read_text(encoding="utf-8"))
    return found.group(1) if found else "euler"


class EnergyBalance(unittest.TestCase):
    def expect_closed(self, scenario: str, energy: dict) -> None:
        work = sum(abs(joules) for joules in energy["work"].values())
        losses = [energy[cause] for cause in ("damping", "friction", "contacts")]
        exchanged = energy["kinetic"] + work + sum(map(abs, losses)) + abs(energy["change"])
        change = sum(energy["work"].values()) + sum(losses) + energy["unexplained"]
        bound = BOUNDS[integrator_of(scenario)] * exchanged + ROUNDING
        self.assertAlmostEqual(energy["change"], change, delta=1e-9 * (1 + exchanged))
        self.assertLessEqual(abs(energy["unexplained"]), bound)
        for loss in losses:
            self.assertLessEqual(loss, bound)

    def test_the_balance_of_every_scenario_closes(self) -> None:
        for scenario in SCENARIOS:
            with self.subTest(scenario):
                self.expect_closed(scenario, run(scenario)["energy"])

    def test_the_balance_with_a_controller_outside_closes(self) -> None:
        programs = {"wired-arm": "hold_angle", "packet-arm": "packet_arm", "imperisim": "imperisim_program"}
        for scenario, program in programs.items():
            with self.subTest(scenario):
                result = run(scenario, "--for", "2s", "--controller", shlex.quote(str(Path(LOCKSTEP).parent / program)),
                             "--set", "//connections/*/@timeout=60 s")
                self.assertGreater(sum(map(abs, result["energy"]["work"].values())), 0.0)
                self.expect_closed(scenario, result["energy"])

    def test_the_balance_of_botball_robots_that_drive_closes(self) -> None:
        for scenario in sorted(path.stem for path in (ROOT / "scenarios/botball").glob("*.xml")):
            program = Path(OUTPUT) / f"{scenario}.c"
            program.write_text(CREATE_PROGRAM if "create" in scenario else MOTOR_PROGRAM, encoding="utf-8")
            arguments = [LOCKSTEP, "botball", "run", str(program), "--scenario", str(FILES[scenario]), "--json"]
            with self.subTest(scenario):
                done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                energy = json.loads(done.stdout)["energy"]
                self.assertGreater(max(energy["work"].values()), 0.05)  # J; the motors accelerate the robot
                self.expect_closed(scenario, energy)


if __name__ == "__main__":
    unittest.main()
