"""Runs scenarios through the command, for the tests of this folder.

The environment is that of cmake/lockstep_module.cmake: LOCKSTEP, LOCKSTEP_SOURCE_DIR.
"""

import atexit
import csv
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))
CONTROLLERS = {"delta": shlex.quote(str(Path(LOCKSTEP).parent / "delta_controller"))}  # outside, over a wire
# Other scenarios with connections have separate tests, with a controller for them.
FILES = {file.stem: file for file in sorted((ROOT / "scenarios").glob("*/*.xml")) if file.parent.name != "parts"}


def has_connections(file: Path) -> bool:
    """Whether it, or a robot that it includes, is controlled from outside."""
    text = file.read_text(encoding="utf-8")
    robots = [file.parent / src for src in re.findall(r'<robot [^>]*src="([^"]*)"', text)]
    return any("<connections>" in each for each in [text, *(robot.read_text(encoding="utf-8") for robot in robots)])


SCENARIOS = sorted(file.stem for file in FILES.values() if file.stem in CONTROLLERS or not has_connections(file))

OUTPUT = tempfile.mkdtemp()  # output of the observers in the scenarios
atexit.register(shutil.rmtree, OUTPUT, ignore_errors=True)


def command(scenario: str, *options: str, program: str = LOCKSTEP) -> list:
    arguments = [program, "run", str(FILES[scenario]), "--json", "--out", OUTPUT, *options]
    if scenario in CONTROLLERS:
        # A long timeout for busy machines, so that a late answer is not requested twice and counted.
        arguments += ["--controller", CONTROLLERS[scenario], "--set", "//connections/wire/@timeout=60 s"]
        arguments += ["--set", "/scenario/@duration=2 s"]  # two cycles instead of a demo of minutes
    return arguments


def result_of(arguments: list, exit_code: int, output: str, errors: str) -> dict:
    """The output of the command; raises if the run did not end as expected."""
    if exit_code != 0:
        raise AssertionError(f"{' '.join(arguments)} exited with {exit_code}\n{output}{errors}")
    result = json.loads(output)
    if result["status"] != "ok":
        raise AssertionError(f"{' '.join(arguments)} ended with {output}")
    return result


def run(scenario: str, *options: str, program: str = LOCKSTEP) -> dict:
    arguments = command(scenario, *options, program=program)
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return result_of(arguments, done.returncode, done.stdout, done.stderr)


def run_at_once(first: list, second: list) -> list:
    """Two commands, as parallel processes."""
    started = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for arguments in (first, second)]
    ended = [process.communicate() for process in started]
    return [result_of(process.args, process.returncode, *texts) for process, texts in zip(started, ended)]


def read_log(file: Path) -> dict:
    """The columns of a log by the name of their signal, without the unit."""
    with open(file, encoding="utf-8") as lines:
        rows = csv.reader(lines)
        names = [name.split(" [")[0] for name in next(rows)]
        columns = zip(*(map(float, row) for row in rows))
        return dict(zip(names, map(list, columns)))


@functools.cache
def run_with_log(scenario: str, *options: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.csv"
        run(scenario, "--log", str(file), *options)
        return read_log(file)


def at(log: dict, name: str, time: float) -> float:
    """A signal at a time, which must be in the log."""
    step = log["time"][1]
    return log[name][round(time / step)]


class Figures(unittest.TestCase):
    """Prints each figure that it compares."""

    def expect(self, what: str, measured: float, expected: float, tolerance: float, unit: str = "") -> None:
        """Within a fraction of the expected value."""
        print(f"{what}: {measured:.7g} {unit}, closed form {expected:.7g} {unit} "
              f"({100.0 * (measured / expected - 1.0):+.4f} %)")
        self.assertLessEqual(abs(measured / expected - 1.0), tolerance, what)

    def expect_below(self, what: str, measured: float, bound: float, unit: str = "") -> None:
        print(f"{what}: {measured:.4g} {unit}, at most {bound:.4g} {unit}")
        self.assertLessEqual(measured, bound, what)
