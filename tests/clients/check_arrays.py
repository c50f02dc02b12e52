#!/usr/bin/env python3
"""With numpy the Python client uses arrays, which a controller can read and fill; without it, lists."""

import os
import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(os.environ["LOCKSTEP_SOURCE_DIR"]) / "clients" / "python"))

import lockstep_client  # noqa: E402
from stand_in_simulation import StandIn, run_alone  # noqa: E402


class Arrays(unittest.TestCase):
    def hold(self, force) -> None:
        with StandIn("unix", 500) as simulation:
            with lockstep_client.connect(simulation.address) as sim:
                for _ in sim:
                    force(sim)
            result = simulation.result()
        self.assertEqual(((result["x"], result["v"]), result["problems"]), (run_alone(500), []))

    def test_measurements_and_commands_are_arrays(self) -> None:
        gain = numpy.array([-4.0, -2.0])

        def force(sim: lockstep_client.Client) -> None:
            self.assertEqual(sim.measurements.dtype, float)
            terms = gain * sim.measurements
            sim.commands[:] = terms[0] + terms[1]

        self.hold(force)

    def test_without_numpy_they_are_lists(self) -> None:
        self.addCleanup(setattr, lockstep_client, "_numpy", numpy)
        lockstep_client._numpy = None

        def force(sim: lockstep_client.Client) -> None:
            self.assertIsInstance(sim.measurements, list)
            sim.commands[0] = -4.0 * sim.measurements[0] - 2.0 * sim.measurements[1]

        self.hold(force)


if __name__ == "__main__":
    unittest.main()
