#!/usr/bin/env python3
"""Every command has examples in its --help, and each of them runs as printed, in a folder with the scenarios."""

import os
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
ENVIRONMENT = os.environ | {"PATH": f"{Path(LOCKSTEP).parent}:{os.environ['PATH']}",
                            "PYTHONPATH": str(ROOT / "clients/python")}
SECONDS = 300


def help_of(*command: str) -> str:
    return subprocess.run([LOCKSTEP, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands() -> list:
    return re.findall(r"^  ([a-z]+) {2,}", help_of().split("Subcommands:")[1], re.M)


def examples(command: str) -> list:
    _, found, text = help_of(command).partition("Examples:\n")
    return [line.strip() for line in text.splitlines() if line.strip()] if found else []


class Help(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)
        for name in ("scenarios", "examples"):
            (self.folder / name).symlink_to(ROOT / name)

    def run_example(self, line: str) -> None:
        if line.startswith("lockstep serve"):
            self.serve(line)
            return
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")

    def serve(self, line: str) -> None:
        """Runs until it is stopped: it must announce its address, and end well when interrupted."""
        with subprocess.Popen(["bash", "-c", f"exec {line} --port 0"], cwd=self.folder, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
            address = re.search(r"http://\S+", server.stdout.readline())
            self.assertTrue(address, line)
            with urllib.request.urlopen(address[0], timeout=SECONDS) as page:
                self.assertEqual(page.status, 200)
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=SECONDS)
            self.assertEqual(server.returncode, 0, line)

    def test_every_example_runs(self):
        self.assertGreater(len(commands()), 10)
        for command in commands():
            lines = examples(command)
            self.assertTrue(lines, f"lockstep {command} --help has no examples")
            for line in lines:
                with self.subTest(line):
                    self.run_example(line)

    def test_the_example_of_set_fits_the_robot_of_the_first_steps(self):
        """One XPath, one meaning: it selects a joint also where a sensor has the same name."""
        page = (ROOT / "docs/first-steps.md").read_text(encoding="utf-8")
        robot = max(re.findall(r"^```xml[^\n]*\n(<scenario.*?)^```", page, re.M | re.S), key=len)
        (self.folder / "arm.xml").write_text(robot, encoding="utf-8")
        found = set(re.findall(r"such as\s+(//\S+)", help_of("run")))
        self.assertTrue(found)
        for edit in found:
            done = subprocess.run([LOCKSTEP, "check", "arm.xml", "--set", edit], cwd=self.folder, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{edit}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
