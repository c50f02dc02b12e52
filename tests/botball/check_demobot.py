#!/usr/bin/env python3
"""The demobot of scenarios/botball with the programs of examples/botball, compared with its geometry: wheels of 27.5 mm
radius, 1500 ticks per turn."""

import math
import os
import subprocess
import sys
import unittest

from botball import ROOT, BotballTest, Run

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

    def test_examples_do_what_their_text_says(self) -> None:
        run = self.example("cbc_range_finder.c")
        # 330 of 1023 is 26 cm; the pipe is 2.079 m away, the sensor 0.1 m ahead. Full PWM units: 1.136 x 600 ticks/s.
        metres_per_second = 1.136 * 600 * 2.0 * math.pi * 0.0275 / 1000
        near = next(text for _, text in run.console if text.startswith("near"))
        self.assertTrue(near.startswith("near: 1"), near)
        self.assertAlmostEqual(float(near.split()[3]), (2.079 - 0.1 - 0.26) / metres_per_second, delta=1.1)
        run = self.example("link_threads.c")
        self.assertEqual([text for _, text in run.console][-1], "side 4, bumps 0")
        run = self.example("wombat_follow_line.c")
        black, samples = (int(word) for word in run.text.splitlines()[-1].split() if word.isdigit())
        self.assertTrue(0.2 < black / samples < 0.8, run.text)
        run = self.example("cbc1_counting.c")
        self.assertAlmostEqual(run.time_of("range finder"), 2000 / 500, delta=0.6)

    def example(self, name: str, *options: str, before: tuple = ()) -> Run:
        return self.launch(EXAMPLES / name, "--start", "1s", "--press", "a@0.5s", *options, before=before)

    def test_every_example_gives_the_same_text_and_state_in_every_run(self) -> None:
        # With low priority, on one core, and beside processes that keep every core busy (whose own priority is low).
        is_thorough = bool(os.environ.get("LOCKSTEP_THOROUGH"))
        length = ("--for", "120s" if is_thorough else "2.5s")
        variants = [("nice", "-n", "19" if is_thorough else "5"), ("taskset", "-c", str(min(os.sched_getaffinity(0)))), ()]
        examples = sorted(file.name for file in EXAMPLES.glob("*.c"))
        self.assertGreater(len(examples), 4)
        for i, example in enumerate(examples):
            first = self.example(example, *length)
            self.assertEqual(first.code, 0, first.errors)
            for j in range(20 if is_thorough else 1):
                variant = variants[(i + j) % len(variants)]
                busy = [] if "nice" in variant else [
                    subprocess.Popen(["nice", "-n", "19", sys.executable, "-c", "while True: pass"]) for _ in range(2)]
                try:
                    again = self.example(example, *length, before=variant)
                finally:
                    for process in busy:
                        process.kill()
                        process.wait()
                self.assertEqual((again.console, again.result["hash"]), (first.console, first.result["hash"]), example)


if __name__ == "__main__":
    unittest.main()
