#!/usr/bin/env python3
"""The energy balance of every scenario closes: what neither forces, damping, friction nor contacts explain stays below
the bound of the integrator, and contacts add nothing. docs/conventions.md states the bounds."""

import re
import unittest

from running import FILES, SCENARIOS, run

# Of the energy that the bodies have and have exchanged.
BOUNDS = {"euler": 0.02, "implicit": 0.02, "rk4": 0.002}
ROUNDING = 1e-12  # J


def integrator_of(scenario: str) -> str:
    found = re.search(r'<engine[^>]*integrator="(\w+)"', FILES[scenario].read_text(encoding="utf-8"))
    return found.group(1) if found else "euler"


class EnergyBalance(unittest.TestCase):
    def test_the_balance_of_every_scenario_closes(self) -> None:
        for scenario in SCENARIOS:
            with self.subTest(scenario):
                energy = run(scenario)["energy"]
                work = sum(abs(joules) for joules in energy["work"].values())
                losses = [energy[cause] for cause in ("damping", "friction", "contacts")]
                exchanged = energy["kinetic"] + work + sum(map(abs, losses)) + abs(energy["change"])
                change = sum(energy["work"].values()) + sum(losses) + energy["unexplained"]
                self.assertAlmostEqual(energy["change"], change, delta=1e-9 * (1 + exchanged))
                self.assertLessEqual(abs(energy["unexplained"]), BOUNDS[integrator_of(scenario)] * exchanged + ROUNDING)
                for loss in losses:
                    self.assertLessEqual(loss, BOUNDS[integrator_of(scenario)] * exchanged + ROUNDING)


if __name__ == "__main__":
    unittest.main()
