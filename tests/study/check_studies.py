#!/usr/bin/env python3
"""Studies through the command: errors, results, and their independence of the number of threads."""

import json
import os
import signal
import subprocess
import time
import unittest

from studies import LOCKSTEP, PARAMETERS, WAY, Study, cart

SEARCHES = {
    "genetic": '<genetic population="8" exchange="2"/>',
    "genetic-cut": '<genetic population="8" crossover="cut" selection="tournament" mutation="gaussian" exchange="0"/>',
    "annealing": "<annealing/>",
    "swarm": '<swarm population="8" exchange="2"/>',
    "differential": '<differential population="8" exchange="2"/>',
    "cmaes": '<cmaes population="8"/>',
    "grid": '<grid points="4"/>',
    "random": "<random/>",
    "latin": "<latin/>",
}
TWO = WAY + '<objective name="energy" minimize="energy()"/>'


class Studies(unittest.TestCase):
    def rejected(self, text: str, *options: str) -> str:
        study = Study(text)
        done = subprocess.run(study.command("results", *options), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertFalse((study.folder / "results").exists(), "nothing is evaluated")
        return done.stderr.replace(str(study.folder) + "/", "")

    def test_errors_are_reported_before_the_first_evaluation(self) -> None:
        self.assertIn("cart.xml:13:5: error: parameter 'a': XPath '//sime/@amplitude' selects nothing; did you mean 'sine'?",
                      self.rejected(cart(parameters="<parameter name='a' path='//sime/@amplitude' min='0' max='1'/>")))
        self.assertIn("bounds are reversed: min 2 is not below max 1",
                      self.rejected(cart(parameters="<parameter name='a' path='//sine/@amplitude' min='2' max='1'/>")))
        self.assertIn("unknown signal 'cart/rail/positon'; did you mean 'cart/rail/position'?",
                      self.rejected(cart(objectives="<objective maximize='final(cart/rail/positon)'/>")))
        self.assertIn("there is no study 'fat'; did you mean 'far'?", self.rejected(cart(), "--study", "fat"))

    def test_results_do_not_depend_on_the_number_of_threads(self) -> None:
        for name, search in SEARCHES.items():
            with self.subTest(search=name):
                study = Study(cart(search))
                one = study.run("one", "--threads", "1")
                two = study.run("two", "--threads", "2")
                four = study.run("four", "--threads", "4")
                self.assertEqual(study.bytes("one"), study.bytes("two"))
                self.assertEqual(study.bytes("one"), study.bytes("four"))
                self.assertEqual(one["best"], two["best"])
                self.assertEqual(four["status"], "complete")
                self.assertLessEqual(one["evaluations"], 120)
                self.assertGreater(one["best"]["objectives"]["way"], 2.0 * one["start"]["objectives"]["way"])

    def test_pareto_search_finds_a_front(self) -> None:
        study = Study(cart('<nsga2 population="8" exchange="2"/>', objectives=TWO))
        one = study.run("one", "--threads", "1")
        study.run("two", "--threads", "2")
        self.assertEqual(study.bytes("one"), study.bytes("two"))
        ways = [each["objectives"]["way"] for each in one["front"]]
        energies = [each["objectives"]["energy"] for each in one["front"]]
        self.assertGreater(len(ways), 3)
        self.assertEqual(ways, sorted(ways, reverse=True))
        self.assertEqual(energies, sorted(energies, reverse=True))

    def test_the_winner_reproduces_the_recorded_result(self) -> None:
        study = Study(cart())
        best = study.run("results")["best"]
        winner = study.folder / "results.best.xml"
        replayed = json.loads(subprocess.run([LOCKSTEP, "optimize", str(winner), "--replay-best", "--json"],
                                             capture_output=True, text=True, check=True).stdout)
        self.assertTrue(replayed["same"])
        self.assertEqual(replayed["objectives"][0]["replayed"], best["objectives"]["way"])
        # A normal run of it reaches the same state, with the same largest position in its log.
        log = study.folder / "log.csv"
        ran = json.loads(subprocess.run([LOCKSTEP, "run", str(winner), "--log", str(log), "--json"],
                                        capture_output=True, text=True, check=True).stdout)
        self.assertEqual(ran["hash"], replayed["hashes"][0])
        rows = [line for line in log.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        column = rows[0].split(",").index(next(c for c in rows[0].split(",") if "cart/rail/position" in c))
        positions = [float(row.split(",")[column]) for row in rows[1:] if row[0].isdigit()]
        self.assertEqual(max(positions), best["objectives"]["way"])

    def test_one_evaluation_in_a_new_process_gives_the_recorded_result(self) -> None:
        study = Study(cart("<random/>", 'evaluations="12" islands="2"'))
        study.run("results")
        for (island, evaluation), line in study.lines("results")[1:]:
            fields = line.split("\t")
            way, values = fields[1], fields[3:6]
            text = cart("<random/>", 'evaluations="1" islands="1"')
            for old, value in zip(('amplitude="0.1"', 'frequency="1 Hz"', 'mass="1 kg"'), values):
                name = old.split("=")[0]
                text = text.replace(old, f'{name}="{value}"', 1)
            alone = Study(text)
            alone.run("results")
            self.assertEqual(alone.lines("results")[0][1].split("\t")[1], way, (island, evaluation))

    def test_interrupted_studies_can_be_resumed(self) -> None:
        study = Study(cart(attributes='evaluations="3000" islands="3"'))
        study.run("whole")
        process = subprocess.Popen(study.command("cut", "--threads", "2"), stdout=subprocess.PIPE, text=True)
        while not (study.folder / "cut").exists() or len(study.lines("cut")) < 50:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertEqual(json.loads(output)["status"], "interrupted")
        before = len(study.lines("cut"))
        self.assertLess(before, 3000)
        self.assertIn("already exists", subprocess.run(study.command("cut"), capture_output=True, text=True,
                                                       check=False).stderr)
        resumed = study.run("cut", "--resume")
        self.assertEqual(study.bytes("cut"), study.bytes("whole"))
        # The unchanged scenario is in the file, too.
        self.assertEqual(resumed["new_evaluations"] + before, resumed["evaluations"] + 1)

    def test_a_report_is_self_contained(self) -> None:
        study = Study(cart('<nsga2 population="8"/>', objectives=TWO))
        study.run("results")
        page = study.folder / "report.html"
        subprocess.run([LOCKSTEP, "report", str(study.folder / "results"), "-o", str(page)], check=True)
        text = page.read_text(encoding="utf-8")
        for word in ("Convergence", "Pareto front", "What matters", "--replay-best", "amplitude", "<svg"):
            self.assertIn(word, text)
        for word in ("<script", "http:", "https:", " src="):
            self.assertNotIn(word, text)

    def test_parameters_are_those_of_the_study(self) -> None:
        study = Study(cart("<random/>", 'evaluations="60" islands="2"', parameters=PARAMETERS))
        study.run("results")
        for _, line in study.lines("results")[1:]:
            amplitude, frequency, mass = map(float, line.split("\t")[3:6])
            self.assertTrue(0.0 <= amplitude <= 0.5 and 0.2 <= frequency <= 5.0)
            self.assertIn(mass, [0.5 + 0.25 * i for i in range(7)])


if __name__ == "__main__":
    os.environ.pop("OMPI_COMM_WORLD_SIZE", None)
    unittest.main()
