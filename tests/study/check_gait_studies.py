#!/usr/bin/env python3
"""The studies of scenarios/studies/gait-study.xml, with fewer evaluations: every search at least doubles the distance of
the manual gait, body and gait together go farther than a gait alone, and the winner reproduces its recorded result."""

import json
import re
import subprocess
import unittest

from studies import LOCKSTEP, ROOT, Study

SEARCHES = ('<genetic population="10" exchange="2"/>', "<annealing/>", '<swarm population="10"/>',
            '<differential population="10"/>', '<cmaes population="10"/>', '<grid points="4"/>', "<random/>", "<latin/>")
FEW, MANY = 64, 100


def gait_study(name: str, search: str, evaluations: int = FEW) -> Study:
    """One study of the scenario, with another search."""
    text = (ROOT / "scenarios/studies/gait-study.xml").read_text(encoding="utf-8")
    studies = re.findall(r"  <study .*?</study>\n", text, re.DOTALL)
    for study in studies:
        text = text.replace(study, study if f'name="{name}"' in study else "")
    text = re.sub(r'evaluations="\d+"', f'evaluations="{evaluations}"', text)
    return Study(re.sub(r"<(genetic|nsga2) .*?/>", search, text))


class GaitStudies(unittest.TestCase):
    def test_every_search_doubles_the_distance(self) -> None:
        for search in SEARCHES:
            with self.subTest(search=search):
                study = gait_study("gait", search)
                found = study.run("results")
                start, best = (found[which]["objectives"]["way"] for which in ("start", "best"))
                print(f"{search}: {best:.3f} m instead of {start:.3f} m")
                self.assertGreater(best, 2.0 * start)
                self.replay(study, best)

    def test_body_and_gait_beat_a_gait_alone(self) -> None:
        search = '<genetic population="10" exchange="2"/>'
        alone = gait_study("gait", search, MANY).run("results")["best"]["objectives"]["way"]
        study = gait_study("body", search, MANY)
        together = study.run("results")["best"]["objectives"]["way"]
        print(f"gait alone {alone:.3f} m, with the body {together:.3f} m")
        self.assertGreater(together, alone)
        self.replay(study, together)

    def test_pareto_front_of_distance_and_energy(self) -> None:
        front = gait_study("thrifty", '<nsga2 population="12" exchange="2"/>').run("results")["front"]
        ways = [each["objectives"]["way"] for each in front]
        self.assertGreater(len(front), 3)
        self.assertGreater(ways[0], 2.0 * ways[-1])

    def replay(self, study: Study, way: float) -> None:
        """The winner, run in a new process, gives exactly the recorded result."""
        done = subprocess.run([LOCKSTEP, "optimize", str(study.folder / "results.best.xml"), "--replay-best", "--json"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["objectives"][0]["replayed"], way)


if __name__ == "__main__":
    unittest.main()
