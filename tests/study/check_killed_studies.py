#!/usr/bin/env python3
"""Kills a study with SIGKILL at random times, repeatedly, and resumes it each time.

    check_killed_studies.py [KILLS]

At the end the results file has the same bytes as that of an undisturbed study: no evaluation is lost, none is
counted twice.
"""

import random
import subprocess
import sys
import time
import unittest

from studies import Study, cart

KILLS = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 6


class Killed(unittest.TestCase):
    def test_the_file_equals_that_of_an_undisturbed_study(self) -> None:
        study = Study(cart(attributes=f'evaluations="{max(3000, 400 * KILLS)}" islands="3"'))
        begin = time.monotonic()
        study.run("whole")
        whole_time = time.monotonic() - begin
        moments = random.Random(1)
        kills, before = 0, []
        while kills < KILLS:
            process = subprocess.Popen(study.command("cut", "--resume", "--threads", "2"), stdout=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0.01, 2.5 * whole_time / KILLS))
                break  # it finished before it was killed
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
            if not (study.folder / "cut").exists():
                continue
            keys = [key for key, _ in self.whole_lines(study)]
            self.assertEqual(len(keys), len(set(keys)), "an evaluation appears twice")
            self.assertTrue(set(before) <= set(keys), "none is lost")
            before = keys
        print(f"{kills} kills, {len(before)} evaluations before the last; a whole study takes {whole_time:.1f} s")
        self.assertGreaterEqual(kills, KILLS // 2)
        study.run("cut", "--resume")
        self.assertEqual(study.bytes("cut"), study.bytes("whole"))

    def whole_lines(self, study: Study) -> list:
        text = (study.folder / "cut").read_text(encoding="utf-8")
        whole = text[:text.rfind("\n") + 1].splitlines()
        return [((int(f[0]), int(f[1])), f[2]) for f in (line.split("\t", 2) for line in whole) if f[0].isdigit()]


if __name__ == "__main__":
    unittest.main()
