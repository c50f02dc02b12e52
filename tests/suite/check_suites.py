#!/usr/bin/env python3
"""Suites through the command: those of scenarios/ pass, failures are reported and can be replayed, and results and
recordings depend neither on the number of jobs nor on a kill."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from command import CommandTest, lockstep  # noqa: E402

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
SCENARIOS = ROOT / "scenarios"


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # An orphan may be dead and not yet reaped.
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"


class ExampleSuites(CommandTest):
    def test_suites_of_the_scenarios_pass(self):
        suites = sorted(SCENARIOS.glob("*/suites/*.xml"))
        self.assertGreater(len(suites), 1)
        for suite in suites:
            done = json.loads(self.do("test", suite, "--json", "--out", self.path / suite.stem))
            self.assertEqual((done["failed"], done["errors"], done["not_run"]), (0, 0, 0))
            self.assertGreater(done["passed"], 2)
            self.assertFalse((self.path / suite.stem).exists(), "a folder without recordings")


class Suites(CommandTest):
    def write(self, cases: str, attributes: str = "") -> Path:
        file = self.path / "suite.xml"
        file.write_text(f"<suite name='s' {attributes}>\n{cases}\n</suite>\n", encoding="utf-8")
        return file

    def run_json(self, suite: Path, *options: object, code: int) -> dict:
        done = lockstep("test", suite, "--json", "--out", self.path / "out", *options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_failure_is_reported_and_can_be_replayed(self):
        suite = self.write(f"""<case name='good' scenario='{SCENARIOS}/basics/pendulum.xml'><wait for='10 ms'/></case>
            <case name='bad' scenario='{SCENARIOS}/basics/faulty-sensor.xml'>
              <wait for='0.1 s'/>
              <stimulus action='push' target='carriage/car' force='100 0 0' length='50 ms'/>
              <wait for='0.1 s'/>
              <verify name='wrong' that='carriage/ruler/speed lt 0 m/s'/>
            </case>""")
        junit = self.path / "junit.xml"
        done = self.run_json(suite, "--junit", junit, code=1)
        self.assertEqual([case["result"] for case in done["cases"]], ["passed", "failed"])
        failure = done["cases"][1]["failures"][0]
        self.assertEqual(failure["place"], f"{suite}:7:15")
        self.assertRegex(failure["reason"], r"^wrong: 'carriage/ruler/speed lt 0 m/s' does not hold; carriage/ruler/speed = ")
        cases = ElementTree.parse(junit).getroot().findall("testsuite/testcase")
        self.assertEqual([case.get("name") for case in cases], ["good", "bad"])
        self.assertIn(failure["reason"], cases[1].find("failure").text)
        self.assertEqual(sorted(file.name for file in (self.path / "out").glob("*.rec*")), ["bad.rec"])
        self.assertEqual(done["cases"][1]["replay"], f"lockstep replay {self.path}/out/bad.rec")
        replayed = json.loads(self.do("replay", self.path / "out/bad.rec", "--json"))
        self.assertTrue(replayed["same"] and replayed["complete"])
        self.assertEqual(replayed["hash"], done["cases"][1]["hash"])

    def test_a_case_that_passes_again_has_no_recording(self):
        text = f"<case name='c' scenario='{SCENARIOS}/basics/pendulum.xml'><verify that='time OP 0 s'/></case>"
        self.run_json(self.write(text.replace("OP", "gt")), code=1)
        self.assertTrue((self.path / "out/c.rec").exists())
        self.run_json(self.write(text.replace("OP", "eq")), code=0)
        self.assertFalse((self.path / "out").exists())

    def test_cases_are_selected_by_pattern(self):
        suite = SCENARIOS / "basics/suites/basics.xml"
        self.assertEqual(self.do("test", suite, "--list", "--case", "pendulum-q*", "--case", "sliding").split(),
                         ["pendulum-quarter", "sliding"])
        done = lockstep("test", suite, "--case", "pendulm-energy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'pendulum-energy'?", done.stderr)

    def test_all_errors_are_found_before_the_first_run(self):
        suite = self.write(f"""<change path='//joint/@dampng' value='1'/>
            <case name='a'><verify that='time lt 1 kg'/></case>
            <case name='b'><wait until='hinge gt 1' within='1 s'/></case>
            <case name='c' scenario='no.xml'><wait for='1 s'/></case>""", f"scenario='{SCENARIOS}/basics/pendulum.xml'")
        done = lockstep("test", suite, "--out", self.path / "out")
        self.assertEqual(done.returncode, 2, done.stdout)
        # One error for both cases that have it; the formulas of those are not checked.
        self.assertEqual([line.split(": error: ")[0] for line in done.stderr.splitlines()],
                         [f"{suite}:2:1", f"{suite}:5:13"], done.stderr)
        self.assertFalse((self.path / "out").exists())

    def test_a_crash_is_the_error_of_one_case(self):
        arm = SCENARIOS / "arms/wired-arm.xml"
        suite = self.write(f"""<case name='crash' controller='kill -9 $PPID; sleep 60'><wait for='1 s'/></case>
            <case name='missing' controller='exec /no/such/program'><wait for='1 s'/></case>
            <case name='none'><wait for='0.1 s'/></case>""", f"scenario='{arm}'")
        done = self.run_json(suite, code=1)
        self.assertEqual([case["result"] for case in done["cases"]], ["error", "failed", "passed"])
        self.assertEqual(done["cases"][0]["failures"][0]["reason"], "the process of the case ended with signal 9")
        self.assertIn("ended with exit code 127 before it answered", done["cases"][1]["failures"][0]["reason"])
        self.assertIn("/no/such/program", (self.path / "out/missing.log").read_text(encoding="utf-8"))

    def test_a_controller_that_hangs_is_ended_with_its_case(self):
        suite = self.write("""<case name='hangs' controller='echo $$ > pid; exec sleep 1000' wall_limit='0.5 s'>
            <change path='//wire/@timeout' value='100 s'/><wait for='1 s'/></case>""", f"scenario='{SCENARIOS}/arms/wired-arm.xml'")
        done = self.run_json(suite, code=1)
        self.assertEqual(done["cases"][0]["failures"][0]["reason"], "took longer than 0.5 s of real time")
        self.assertFalse(is_alive(int((self.path / "pid").read_text(encoding="utf-8"))))

    def test_an_interrupt_ends_the_cases(self):
        suite = self.write("<case name='long'><wait for='10000 s'/></case><case name='next'><wait for='1 s'/></case>",
                           f"scenario='{SCENARIOS}/basics/pendulum.xml'")
        process = subprocess.Popen([os.environ["LOCKSTEP"], "test", suite, "--jobs", "1", "--json", "--out", self.path / "out"],
                                   stdout=subprocess.PIPE, text=True)
        while not (self.path / "out/long.rec.part").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        done = json.loads(process.communicate(timeout=30)[0])
        self.assertEqual(process.returncode, 1)
        self.assertEqual((done["errors"], done["not_run"]), (1, 1))
        self.assertEqual(done["cases"][0]["failures"][0]["reason"], "interrupted")


class Repeatability(unittest.TestCase):
    """100 cases, of which every fourth fails: three kinds of runs, with and without a controller."""

    COUNT = 100

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name)
        cls.suite = cls.path / "suite.xml"
        controller = f"PYTHONPATH={ROOT}/clients/python python3 {ROOT}/examples/controllers/hold_angle.py"
        cases = []
        for i in range(cls.COUNT):
            limit = "0 s" if i % 4 == 0 else "1000 s"
            if i % 20 == 0:
                body = (f"<case name='c{i}' scenario='{SCENARIOS}/arms/wired-arm.xml' controller='{controller}'>"
                        f"<change path=\"//joint[@name='shoulder']/@initial\" value='{i / 100}'/><wait for='0.2 s'/>")
            else:
                body = (f"<case name='c{i}' scenario='{SCENARIOS}/basics/faulty-sensor.xml'><wait for='{i} ms'/>"
                        f"<stimulus action='push' target='carriage/car' force='{i} 0 0' length='20 ms'/><wait for='0.3 s'/>")
            cases.append(f"{body}<verify that='time lt {limit}'/></case>")
        cls.suite.write_text("<suite name='many'>\n" + "\n".join(cases) + "\n</suite>\n", encoding="utf-8")
        cls.expected = cls.run_all("one", "1")

    @classmethod
    def command(cls, folder: str, jobs: str) -> list:
        (cls.path / folder).mkdir(exist_ok=True)
        return [os.environ["LOCKSTEP"], "test", cls.suite, "--jobs", jobs, "--out", "out", "--junit", "junit.xml", "--json"]

    @classmethod
    def run_all(cls, folder: str, jobs: str) -> tuple:
        """The results without their wall time, and all files: {name: bytes}."""
        done = subprocess.run(cls.command(folder, jobs), cwd=cls.path / folder, capture_output=True, text=True, check=False)
        result = json.loads(done.stdout)
        del result["wall_time"]
        files = {file.name: file.read_bytes() for file in (cls.path / folder).rglob("*") if file.suffix in (".rec", ".part", ".xml")}
        return done.returncode, result, files

    def compare(self, found: tuple):
        self.assertEqual(found[0], self.expected[0])
        self.assertEqual(found[1], self.expected[1])
        self.assertEqual(sorted(found[2]), sorted(self.expected[2]))
        for name, content in self.expected[2].items():
            self.assertTrue(found[2][name] == content, f"{name} differs")

    def test_the_results_are_as_expected(self):
        code, result, files = self.expected
        self.assertEqual((code, result["passed"], result["failed"], result["errors"]), (1, self.COUNT * 3 // 4, self.COUNT // 4, 0))
        self.assertEqual(sorted(files), sorted(["junit.xml", *(f"c{i}.rec" for i in range(0, self.COUNT, 4))]))

    def test_two_jobs_give_the_same(self):
        self.compare(self.run_all("two", "2"))

    def test_a_run_after_a_kill_gives_the_same(self):
        process = subprocess.Popen(self.command("killed", "2"), cwd=self.path / "killed", stdout=subprocess.DEVNULL)
        out = self.path / "killed/out"
        while not out.exists() or len(list(out.glob("*.rec"))) < 5:
            self.assertIsNone(process.poll(), "ended before it was killed")
            time.sleep(0.005)
        process.kill()
        process.wait()
        self.compare(self.run_all("killed", "2"))


if __name__ == "__main__":
    unittest.main()
