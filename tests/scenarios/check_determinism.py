#!/usr/bin/env python3
"""Every scenario gives the same bits in every run.

The reference is the hash after each step of one uninterrupted run; all other runs are compared with it.
"""

import os
import random
import tempfile
import unittest
from pathlib import Path

from running import CONTROLLERS, LOCKSTEP, SCENARIOS, command, run, run_at_once

UNOPTIMISED = str(Path(LOCKSTEP).with_name("lockstep_unoptimised"))
THOROUGH = bool(os.environ.get("LOCKSTEP_THOROUGH"))
REPEATS = 5 if os.environ.get("LOCKSTEP_SANITIZE") else 100 if THOROUGH else 15  # a sanitized process starts slowly
STEPS_OF_A_REPEAT = 20  # starting a process takes longer than its steps
SNAPSHOTS = 50
STEPS_WITHOUT_OPTIMISATION = 10**9 if THOROUGH else 400  # unoptimised code is ten times slower
STEPS_ACROSS_A_SNAPSHOT = 400  # at most: 4000 steps of the rolling test take seconds


class Determinism(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        """Runs each scenario to its end in two parallel processes: one without and one with all observers."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.hashes, cls.steps, cls.results = {}, {}, {}
        for scenario in SCENARIOS:
            log, hash_log = (str(Path(cls.folder.name) / f"{scenario}.{end}") for end in ("csv", "hashes"))
            bare, observed = run_at_once(command(scenario),
                                         command(scenario, "--log", log, "--hash-log", hash_log))
            cls.results[scenario] = bare["hash"], observed["hash"]
            cls.hashes[scenario] = cls.read_hashes(hash_log)
            # In integer nanoseconds, like the step: a length must be a multiple of the step.
            cls.steps[scenario] = round(1e9 * bare["time"]) // bare["steps"]

    @staticmethod
    def read_hashes(file: str) -> list:
        """One per step, the first after step 1."""
        return [line.split()[1] for line in Path(file).read_text(encoding="utf-8").splitlines()]

    def length(self, scenario: str, steps: int) -> str:
        nanoseconds = steps * self.steps[scenario]
        return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09} s"

    def each(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario):
                yield scenario

    def test_parallel_processes_with_and_without_observers_agree(self) -> None:
        for scenario in self.each():
            bare, observed = self.results[scenario]
            self.assertEqual(bare, observed)
            self.assertEqual(bare, self.hashes[scenario][-1])

    def test_the_state_changes_in_every_step(self) -> None:
        # Otherwise equal hashes would prove nothing.
        for scenario in self.each():
            self.assertEqual(len(set(self.hashes[scenario])), len(self.hashes[scenario]))

    def test_many_runs_agree(self) -> None:
        for scenario in self.each():
            found = {run(scenario, "--for", self.length(scenario, STEPS_OF_A_REPEAT))["hash"]
                     for _ in range(REPEATS)}
            self.assertEqual(found, {self.hashes[scenario][STEPS_OF_A_REPEAT - 1]})

    def test_a_real_time_run_agrees(self) -> None:
        result = run("pendulum", "--for", self.length("pendulum", 500), "--speed", "2")
        self.assertGreater(result["wall_time"], 0.2, "0.5 s at double speed take a quarter of a second")
        self.assertEqual(result["hash"], self.hashes["pendulum"][499])

    def test_runs_restored_from_fifty_snapshots_agree(self) -> None:
        chance = random.Random(2026)
        snapshot = str(Path(self.folder.name) / "snapshot")
        # A controller outside restarts without its previous state.
        scenarios = [scenario for scenario in SCENARIOS if scenario not in CONTROLLERS]
        for i in range(SNAPSHOTS):
            scenario = scenarios[i % len(scenarios)]
            end = chance.randint(2, min(STEPS_ACROSS_A_SNAPSHOT, len(self.hashes[scenario])))
            # Also late in the run, after events and with old contacts; the slow scenario stays short.
            if scenario != "rolling-test":
                end = chance.randint(end, len(self.hashes[scenario]))
            at = chance.randint(1, end - 1)
            with self.subTest(scenario=scenario, saved_at=at, ends_at=end):
                saved = run(scenario, "--for", self.length(scenario, at), "--save", snapshot)
                self.assertEqual(saved["hash"], self.hashes[scenario][at - 1])
                rest = run(scenario, "--for", self.length(scenario, end - at), "--load", snapshot)
                self.assertEqual(rest["hash"], self.hashes[scenario][end - 1])

    def test_code_without_optimisation_agrees_step_by_step(self) -> None:
        file = str(Path(self.folder.name) / "unoptimised.hashes")
        for scenario in self.each():
            steps = min(STEPS_WITHOUT_OPTIMISATION, len(self.hashes[scenario]))
            run(scenario, "--for", self.length(scenario, steps), "--hash-log", file, program=UNOPTIMISED)
            self.assert_same_steps(self.read_hashes(file), self.hashes[scenario][:steps])

    def test_a_second_run_agrees_step_by_step(self) -> None:
        file = str(Path(self.folder.name) / "again.hashes")
        for scenario in self.each():
            run(scenario, "--hash-log", file, program=LOCKSTEP)
            self.assert_same_steps(self.read_hashes(file), self.hashes[scenario])

    def assert_same_steps(self, found: list, expected: list) -> None:
        self.assertEqual(len(found), len(expected))
        first = next((i + 1 for i, (a, b) in enumerate(zip(found, expected)) if a != b), None)
        self.assertIsNone(first, f"differs from step {first} on")


if __name__ == "__main__":
    unittest.main()
