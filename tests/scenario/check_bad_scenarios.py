#!/usr/bin/env python3
"""Invalid scenarios must get exactly the expected errors, and hostile ones must not kill the command.

    LOCKSTEP=build/release/bin/lockstep tests/scenario/check_bad_scenarios.py [--update] [name…]

Three lists:

- cases/NAME.xml: files whose first lines are comments with the expected output of `lockstep check NAME.xml`, in order:

      <!-- error 4:22: joint 'r/elbow': … -->     means     NAME.xml:4:22: error: joint 'r/elbow': …

- generated.py: what cannot be in such a file, because it is not XML, too large, needs other files, or needs --set.
- hostile.py: models that pass `check` but cannot be simulated; `lockstep run` must end them with a status.

An invalid scenario must end with exit code 2, with nothing on stdout, with exactly the expected lines on stderr, in less
than a second of CPU time and 1 GiB of memory. --update writes what the command says now into the files of cases/ and prints
it for the others: read the diff like code.
"""

import argparse
import difflib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

import generated
import hostile

HERE = pathlib.Path(__file__).resolve().parent
SANITIZED = os.environ.get("LOCKSTEP_SANITIZE", "") not in ("", "OFF", "0")
MAX_CPU_SECONDS = 20.0 if SANITIZED else 1.0
MAX_RUN_CPU_SECONDS = 60.0 if SANITIZED else 5.0
MAX_BYTES = None if SANITIZED else 1 << 30  # the shadow memory of a sanitizer also counts
MAX_WALL_SECONDS = 120.0  # longer means that it hangs

EXIT_STATUS = 1
EXIT_WRONG = 2


class Result:
    """Exit code, output and resource use of a command."""

    def __init__(self, command, folder):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            timer = threading.Timer(MAX_WALL_SECONDS, lambda: os.kill(child.pid, signal.SIGKILL))
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = self.code = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.stdout = out.read().decode("utf-8", "backslashreplace")
            self.stderr = err.read().decode("utf-8", "backslashreplace")
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.bytes = usage.ru_maxrss * 1024

    def find_problems(self, expected_code, max_cpu_seconds):
        problems = []
        if self.code < 0:
            problems.append(f"killed by {signal.Signals(-self.code).name}")
        elif self.code != expected_code:
            problems.append(f"exit code {self.code}, expected {expected_code}")
        if self.cpu_seconds >= max_cpu_seconds:
            problems.append(f"took {self.cpu_seconds:.2f} s of CPU time, expected less than {max_cpu_seconds:g} s")
        if MAX_BYTES and self.bytes >= MAX_BYTES:
            problems.append(f"took {self.bytes / 2**20:.0f} MiB, expected less than {MAX_BYTES / 2**20:.0f} MiB")
        return problems


def read_expectation(path):
    """The expected lines of a file in cases/."""
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"<!-- error (\d+:\d+): (.*) -->\n", line)
            if not match:
                break
            lines.append(f"{path.name}:{match[1]}: error: {match[2]}")
    return lines


def rewrite_expectation(path, said):
    """Makes `said` the expected lines of a file in cases/."""
    body = re.sub(r"\A(<!-- error \d+:\d+: .* -->\n)*", "", path.read_text(encoding="utf-8"))
    lines = []
    for line in said:
        place, text = line.removeprefix(f"{path.name}:").split(": error: ", 1)
        lines.append(f"<!-- error {place}: {text} -->\n")
    path.write_text("".join(lines) + body, encoding="utf-8")


def make_checks(folder):
    """Yields (name, folder, arguments of `lockstep check`, expected lines)."""
    for path in sorted((HERE / "cases").glob("*.xml")):
        yield path.stem, path.parent, [path.name], read_expectation(path)
    for case in generated.CASES:
        case_folder = folder / case.name
        case_folder.mkdir()
        case.write(case_folder)
        yield case.name, case_folder, [case.main, *case.arguments], case.expected
        case.remove(case_folder)


def check(lockstep, folder, arguments, expected):
    result = Result([lockstep, "check", *arguments], folder)
    problems = result.find_problems(EXIT_WRONG, MAX_CPU_SECONDS)
    if not expected:
        problems.append("no error is expected; an invalid scenario needs at least one")
    if result.stdout:
        problems.append(f"wrote to stdout: {result.stdout[:200]!r}")
    said = result.stderr.splitlines()
    if said != expected:
        problems += difflib.unified_diff(expected, said, "expected", "said", lineterm="", n=0)
    return result, problems


def run(lockstep, folder, case):
    """A model that cannot be simulated: the status names its outcome, and the process does not crash."""
    (folder / "hostile.xml").write_text(case.text, encoding="utf-8")
    result = Result([lockstep, "run", "hostile.xml", "--for", case.length], folder)
    status = [line for line in result.stdout.splitlines() if line.startswith("status: ")]
    problems = result.find_problems(0 if status == ["status: ok"] else EXIT_STATUS, MAX_RUN_CPU_SECONDS)
    if len(status) != 1 or not re.fullmatch("status: " + case.status, status[0]):
        problems += [f"expected status: {case.status}", f"said {' '.join(status) or 'no status: ' + result.stderr.strip()}"]
    return result, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="expect what the command says now")
    parser.add_argument("names", nargs="*", help="only these cases")
    options = parser.parse_args()
    lockstep = os.path.abspath(os.environ.get("LOCKSTEP", HERE.parents[1] / "build/release/bin/lockstep"))
    counts = {True: 0, False: 0}

    def report(name, result, problems):
        case = HERE / "cases" / f"{name}.xml"
        if options.update and case.exists():
            if problems:
                rewrite_expectation(case, result.stderr.splitlines())
        elif options.update and problems:
            print(f"{name} ({result.code}, {result.cpu_seconds:.2f} s, {result.bytes >> 20} MiB)")
            print("".join(f"    {line}\n" for line in (result.stdout + result.stderr).splitlines()), end="")
        if options.update:
            return
        counts[not problems] += 1
        if problems:
            print(f"{name}: FAILED")
            print("".join(f"    {line}\n" for line in problems), end="")

    with tempfile.TemporaryDirectory(prefix="bad_scenarios.") as temporary:
        folder = pathlib.Path(temporary)
        for name, case_folder, arguments, expected in make_checks(folder):
            if not options.names or name in options.names:
                report(name, *check(lockstep, case_folder, arguments, expected))
        for case in hostile.CASES:
            if not options.names or case.name in options.names:
                report(case.name, *run(lockstep, folder, case))
    if not options.update:
        print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
