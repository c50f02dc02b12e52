#!/usr/bin/env python3
"""The demobot of scenarios/botball with the programs of examples/botball, compared with its geometry: wheels of 27.5 mm
radius, 1500 ticks per turn."""

import math
import unittest

from botball import ROOT, BotballTest

EXAMPLES = ROOT / "examples/botball"
METRES_PER_TICK = 2.0 * math.pi * 0.0275 / 1500.0


class Demobot(BotballTest):
    def test_it_drives_to_the_line(self) -> None:
        run = self.launch(EXAMPLES / "drive_to_line.c", "--record", self.path / "run.rec")
        self.assertEqual(run.program["end"], "main returned")
        ticks = int(run.text.split()[-2])
        # The sensor is 98 mm ahead of the wheels, the line begins at 475 mm.
        self.assertAlmostEqual(ticks * METRES_PER_TICK, 0.475 - 0.098, delta=0.004)
        self.assertTrue((self.path / "run.rec").exists())

    def test_it_stops_in_front_of_the_can_and_at_a_touch(self) -> None:
        text = """
            int main() {
              motor(0, 50); motor(3, 50);
              while (digital(0) == 0);
              ao();
              printf("touch %d\\n", (gmpc(0) + gmpc(3)) / 2);
            }"""
        file = self.path / "touch.c"
        file.write_text(text)
        run = self.launch(file, "--era", "W", "--for", "40s")
        # From the front of the bumper, 112 mm ahead, to the pipe at 2.079 m.
        self.assertAlmostEqual(int(run.text.split()[1]) * METRES_PER_TICK, 2.0794 - 0.112, delta=0.02)

    def test_every_example_gives_the_same_text_and_state_in_every_run(self) -> None:
        examples = sorted(EXAMPLES.glob("*.c"))
        self.assertGreater(len(examples), 0)
        for example in examples:
            first = self.launch(example, "--start", "1s", "--press", "a@1s")
            self.assertEqual(first.code, 0, first.errors)
            again = self.launch(example, "--start", "1s", "--press", "a@1s")
            self.assertEqual((again.console, again.result["hash"]), (first.console, first.result["hash"]), example.name)


if __name__ == "__main__":
    unittest.main()
