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

    def test_the_balance_of_an_arm_with_a_controller_outside_closes(self) -> None:
        controller = shlex.quote(str(Path(LOCKSTEP).parent / "hold_angle"))
        result = run("wired-arm", "--for", "2s", "--controller", controller,
                     "--set", "//connections/wire/@timeout=60 s",
                     "--set", f"//connections/wire/@address=unix:{OUTPUT}/arm")
        self.assertGreater(sum(map(abs, result["energy"]["work"].values())), 0.0)
        self.expect_closed("wired-arm", result["energy"])

    def test_the_balance_of_a_botball_robot_that_drives_closes(self) -> None:
        program = str(ROOT / "examples/botball/drive_to_line.c")
        arguments = [LOCKSTEP, "botball", "run", program, "--for", "10s", "--json"]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        energy = json.loads(done.stdout)["energy"]
        self.assertGreater(energy["work"]["demobot/motor0"], 0.1)  # J; its motors drive it over half a metre
        self.expect_closed("demobot", energy)


if __name__ == "__main__":
    unittest.main()
