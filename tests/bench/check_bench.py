#!/usr/bin/env python3
"""Format of the output of `lockstep bench`. The measured values depend on the machine and are not checked."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LOCKSTEP = os.environ["LOCKSTEP"]
sys.path.insert(0, str(Path(os.environ["LOCKSTEP_SOURCE_DIR"]) / "tests"))
from transports import TRANSPORTS  # noqa: E402

CASES = [*TRANSPORTS, "shm-spin", "packet"]


def run_bench(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([LOCKSTEP, "bench", *arguments], capture_output=True, text=True, check=False, timeout=200)


class BotballBench(unittest.TestCase):
    def test_json_has_both_programs_and_the_robot_alone(self) -> None:
        done = run_bench("botball", "--json", "--seconds", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual([each["case"] for each in result["cases"]], ["sleeping", "polling"])
        for each in result["cases"]:
            for key in ("ratio", "real_time_factor", "raw_real_time_factor"):
                self.assertGreater(each[key], 0)
            self.assertAlmostEqual(each["simulated_seconds"], 0.1)


class ConnectionBench(unittest.TestCase):
    def test_json_has_a_ratio_and_both_rates_of_every_case(self) -> None:
        done = run_bench("connection", "--json", "--seconds", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["bench"], "connection")
        self.assertEqual([each["case"] for each in result["cases"]], CASES)
        for each in result["cases"]:
            # Twelve numbers there and six back, each in a message of 28 bytes more, or in a packet with a counter.
            overhead = 4 if each["case"] == "packet" else 28
            self.assertEqual(each["bytes"], {"measurement": overhead + 12 * 8, "command": overhead + 6 * 8})
            self.assertGreater(each["ratio"], 0)
            self.assertGreater(each["exchanges_per_second"], 0)
            self.assertGreater(each["raw_exchanges_per_second"], 0)
            self.assertGreaterEqual(each["pairs"], 5)
            has_two_cores = len(os.sched_getaffinity(0)) > 1
            self.assertEqual(each["placement"],
                             "a core each" if each["case"] == "shm-spin" and has_two_cores else "one core")

    def test_one_case_is_measured_alone_and_leaves_nothing_behind(self) -> None:
        with subprocess.Popen([LOCKSTEP, "bench", "connection", "--json", "--case", "unix", "--seconds", "0.01"],
                              stdout=subprocess.PIPE, text=True) as bench:
            printed, _ = bench.communicate(timeout=200)
        self.assertEqual(bench.returncode, 0)
        self.assertEqual([each["case"] for each in json.loads(printed)["cases"]], ["unix"])
        self.assertFalse(any(Path(tempfile.gettempdir()).glob(f"lockstep-bench-{bench.pid}*")))

    def test_text_has_a_line_per_case(self) -> None:
        done = run_bench("connection", "--case", "shm", "--seconds", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^connection: ours over a raw ping-pong.*\n  shm +\d+\.\d{3} .*one core\n$")

    def test_wrong_names_and_times_are_told(self) -> None:
        for arguments, message in [
            (["connection", "--case", "carrier-pigeon"], "unknown case 'carrier-pigeon'; expected tcp, udp, unix, pipe,"),
            (["connections"], "unknown benchmark 'connections'; did you mean 'connection'?"),
            (["connection", "--seconds", "0"], "--seconds: error: found 0; expected a number above 0"),
        ]:
            done = run_bench(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(message, done.stderr)


class RealTimeBench(unittest.TestCase):
    def test_json_has_the_misses_and_the_lateness_of_both_loops(self) -> None:
        done = run_bench("realtime", "--json", "--seconds", "0.8")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["bench"], "realtime")
        [case] = result["cases"]
        self.assertEqual(case["case"], "delta-2khz")
        self.assertEqual((case["cycles"], case["stretch"]), (4 * 200, 0.1))
        self.assertGreater(case["ratio"], 0)
        for side in (case, case["bare"]):
            self.assertGreaterEqual(side["misses"], 0)
            self.assertLessEqual(0, side["median_lateness"])
            self.assertLessEqual(side["median_lateness"], side["p99_lateness"])
            self.assertLessEqual(side["p99_lateness"], side["worst_lateness"])
        self.assertIn(case["priority"], ["SCHED_FIFO", "none"])
        self.assertEqual(case["connection"]["lost"], 0)

    def test_text_is_one_line(self) -> None:
        done = run_bench("realtime", "--seconds", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^realtime: ours over a bare loop.*\n  delta-2khz +\d+\.\d\d .* agree to \S+\n$")


class ServeBench(unittest.TestCase):
    def test_json_has_both_rates_and_the_memory(self) -> None:
        done = run_bench("serve", "--json", "--seconds", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        (case,) = json.loads(done.stdout)["cases"]
        self.assertEqual(case["case"], "viewers")
        self.assertGreater(case["ratio"], 0)
        self.assertGreater(case["steps_per_second"], 0)
        self.assertGreater(case["raw_steps_per_second"], 0)
        # AddressSanitizer keeps freed memory for a while.
        self.assertLess(case["memory_growth_mib"], 64 if os.environ.get("LOCKSTEP_SANITIZE") else 16)
        self.assertGreaterEqual(case["pairs"], 5)

    def test_another_case_is_rejected(self) -> None:
        done = run_bench("serve", "--case", "tourists")
        self.assertEqual((done.returncode, done.stderr), (2, "bench: error: unknown case 'tourists'; expected viewers\n"))


if __name__ == "__main__":
    unittest.main()
