#!/usr/bin/env python3
"""Studies under mpirun: the same bytes for any number of processes; if a process dies, the study can be resumed."""

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from studies import MPIRUN, Study, cart

# MPI keeps memory until exit, some of it in libraries that it has already unloaded and that a report cannot name.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"


def children_of(pid: int) -> list:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return sorted(found)


class Ranks(unittest.TestCase):
    def test_results_do_not_depend_on_the_number_of_processes(self) -> None:
        for search in ('<genetic population="8" exchange="2"/>', "<cmaes/>", "<annealing/>", "<random/>"):
            study = Study(cart(search))
            study.run("threads", "--threads", "2")
            for count in (1, 2, 3, 4):
                with self.subTest(search=search, processes=count):
                    name = f"ranks{count}"
                    found = study.run(name, prefix=(*MPIRUN, "-n", str(count)))
                    self.assertEqual(found["status"], "complete")
                    self.assertEqual(study.bytes(name), study.bytes("threads"))

    def test_errors_are_reported_once(self) -> None:
        study = Study(cart(objectives="<objective maximize='final(nothing)'/>"))
        done = subprocess.run(study.command("results", prefix=(*MPIRUN, "-n", "3")), capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("unknown signal 'nothing'"), 1, done.stderr)

    def test_a_dead_process_is_reported_and_the_study_can_be_resumed(self) -> None:
        study = Study(cart(attributes='evaluations="20000" islands="3"'))
        launcher = subprocess.Popen(study.command("cut", prefix=(*MPIRUN, "-n", "3")), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
        while not (study.folder / "cut").exists() or len(study.lines("cut")) < 100:
            self.assertIsNone(launcher.poll(), "it ended by itself")
            time.sleep(0.02)
        os.kill(children_of(launcher.pid)[-1], signal.SIGKILL)
        output, _ = launcher.communicate(timeout=60)
        self.assertNotEqual(launcher.returncode, 0)
        self.assertIn("signal 9", output)
        before = study.lines("cut")
        self.assertGreaterEqual(len(before), 100)
        process = subprocess.run(study.command("cut", "--resume"), capture_output=True, text=True, check=True)
        study.run("whole")
        self.assertEqual(json.loads(process.stdout)["status"], "complete")
        self.assertEqual(study.bytes("cut"), study.bytes("whole"))


if __name__ == "__main__":
    unittest.main()
