#!/usr/bin/env python3
"""An element name means one thing wherever it may appear, in scenarios, design scripts and suites: --set and studies
address elements by name. Reads the references that the command prints."""

import collections
import os
import re
import subprocess
import unittest

# Options of an engine: the element has the name of the engine, and its attributes are those of what it is in.
ENGINES = {"mujoco"}


def read_reference(*command: str) -> dict:
    """{element: [(meaning, attributes)]}, one entry for each section of that name."""
    text = subprocess.run([os.environ["LOCKSTEP"], *command], capture_output=True, text=True, check=True).stdout
    sections = collections.defaultdict(list)
    for name, body in re.findall(r"^## `<([\w-]+)>`\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        meaning = re.sub(r"^Inside [^.]*\. ", "", body.strip().split("\n")[0])
        sections[name].append((meaning, tuple(sorted(re.findall(r"^\| `(\w+)`", body, re.M)))))
    return sections


class ElementNames(unittest.TestCase):
    scenario = read_reference("schema", "--reference")
    design = read_reference("design", "reference")
    suite = read_reference("schema", "--suite", "--reference")

    def test_the_references_are_read(self):
        self.assertGreater(len(self.scenario), 80)
        self.assertGreater(len(self.design), 20)
        self.assertGreater(len(self.suite), 4)
        self.assertIn("damping", self.scenario["joint"][0][1])

    def test_a_name_has_one_meaning(self):
        references = (self.scenario, self.design, self.suite)
        for name in sorted(set().union(*references)):
            meanings = {meaning for reference in references for meaning, _ in reference.get(name, [])}
            self.assertEqual(len(meanings), 1, f"<{name}> means several things: {meanings}")

    def test_a_name_has_one_set_of_attributes(self):
        for reference in (self.scenario, self.design, self.suite):
            for name, sections in reference.items():
                if name not in ENGINES:
                    self.assertEqual(len({attributes for _, attributes in sections}), 1, f"<{name}>")

    def test_names_are_spelt_alike(self):
        for name in [*self.scenario, *self.design, *self.suite]:
            self.assertRegex(name, r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")


if __name__ == "__main__":
    unittest.main()
