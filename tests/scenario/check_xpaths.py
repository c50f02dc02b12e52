#!/usr/bin/env python3
"""Every XPath in the docs, in --help texts and in scenarios names elements and attributes that exist, where they can be."""

import os
import re
import subprocess
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
XSD = "{http://www.w3.org/2001/XMLSchema}"
XPATH = re.compile(r"""(?<![\w:/.'"`(-])[`"'(]?(//?(?:[a-z_]+|\*)(?:\[[^\]]*\])?(?:/{1,2}(?:[a-z_]+|\*)(?:\[[^\]]*\])?)*/@[a-z_]+)""")
STEP = re.compile(r"(//?)(@?)([a-z_]+|\*)((?:\[[^\]]*\])*)")


def read_schema() -> tuple:
    """{element: attributes}, {element: children}."""
    text = subprocess.run([os.environ["LOCKSTEP"], "schema"], capture_output=True, text=True, check=True).stdout
    schema = ElementTree.fromstring(text)
    types = {each.get("name"): each for each in schema.iter(f"{XSD}complexType")}
    attributes, children = {}, {}
    for element in schema.iter(f"{XSD}element"):
        name, kind = element.get("name"), types.get(element.get("type"))
        if kind is not None:
            attributes.setdefault(name, set()).update(each.get("name") for each in kind.iter(f"{XSD}attribute"))
            children.setdefault(name, set()).update(each.get("name") for each in kind.iter(f"{XSD}element"))
    return attributes, children


class XPaths(unittest.TestCase):
    attributes, children = read_schema()

    def find_error(self, xpath: str) -> str:
        parent = None
        for slashes, at, name, predicates in STEP.findall(xpath):
            if at:
                known = self.attributes.get(parent, set()) if parent != "*" else set().union(*self.attributes.values())
                return "" if name in known else f"<{parent}> has no attribute '{name}'"
            if name != "*":
                if name not in self.attributes:
                    return f"there is no element <{name}>"
                if slashes == "/" and parent not in (None, "*") and name not in self.children[parent]:
                    return f"<{parent}> cannot contain <{name}>"
                for attribute in re.findall(r"@(\w+)", predicates):
                    if attribute not in self.attributes[name]:
                        return f"<{name}> has no attribute '{attribute}'"
            parent = name
        return "it selects no attribute"

    def test_the_check_finds_what_is_wrong(self):
        self.assertEqual(self.find_error("//joint[@name='elbow']/@damping"), "")
        self.assertEqual(self.find_error("/scenario/@step"), "")
        self.assertIn("no element <links>", self.find_error("//links/wire/@period"))
        self.assertIn("cannot contain <joint>", self.find_error("//sensors/joint/@name"))
        self.assertIn("no attribute 'servo'", self.find_error("//joint[@servo='a']/@damping"))
        self.assertIn("no attribute 'dampng'", self.find_error("//joint/@dampng"))

    def test_xpaths_of_docs_and_scenarios_exist(self):
        files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "scenarios").rglob("*.xml"))]
        texts = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}
        texts["lockstep run --help"] = subprocess.run([os.environ["LOCKSTEP"], "run", "--help"], capture_output=True, text=True,
                                                      check=True).stdout
        count = 0
        for name, text in texts.items():
            for match in XPATH.finditer(text):
                count += 1
                line = text[text.rfind("\n", 0, match.start()) + 1:text.find("\n", match.end())]
                error = "" if "exits with" in line else self.find_error(match[1])  # a page shows an error on purpose
                self.assertFalse(error, f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[1]}: {error}")
        self.assertGreater(count, 20)


if __name__ == "__main__":
    unittest.main()
