#!/usr/bin/env python3
"""The text messages of the server have the form of tests/golden_messages/viewer/texts.json, which the page is compiled with:
the same keys, and values of the same types."""

import json
import unittest

from viewer import ROOT, Server, Viewer

TEXTS = json.loads((ROOT / "tests/golden_messages/viewer/texts.json").read_text(encoding="utf-8"))
OPTIONAL = {"outcome"}  # of a status: only of a run that has ended


def type_of(value) -> str:
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


class GoldenMessages(unittest.TestCase):
    def expect_form(self, golden, found, place: str) -> None:
        if golden is None or found is None:
            return  # no limit, no recording
        self.assertEqual(type_of(found), type_of(golden), place)
        if isinstance(golden, dict):
            self.assertEqual(set(found) - OPTIONAL, set(golden) - OPTIONAL, place)
            for key in set(golden) & set(found):
                self.expect_form(golden[key], found[key], f"{place}.{key}")
        if isinstance(golden, list) and golden and isinstance(golden[0], (dict, list)):
            for i, each in enumerate(found):
                self.expect_form(golden[0], each, f"{place}[{i}]")

    def test_the_server_sends_what_the_page_expects(self):
        for scenario in ("arms/wired-arm.xml", "chains/snake.xml"):
            with Server(str(ROOT / "scenarios" / scenario)) as server, Viewer(server) as viewer:
                scene = dict(viewer.scene, shapes=[dict(shape, geometry=None) for shape in viewer.scene["shapes"]])
                self.expect_form(TEXTS["scene"], scene, "scene")
                self.expect_form(TEXTS["status"], viewer.status, "status")
                listed = viewer.request("files")
                self.expect_form(TEXTS["files"], listed["files"], "files")
                self.expect_form(TEXTS["gallery"], listed["gallery"], "gallery")
        with Server(str(ROOT / "scenarios/arms/wired-arm.xml")) as server, Viewer(server) as viewer:
            self.expect_form(TEXTS["attributes"], viewer.request("attributes", path="arm/shoulder")["attributes"], "attributes")


if __name__ == "__main__":
    unittest.main()
