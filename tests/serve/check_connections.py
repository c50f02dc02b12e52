#!/usr/bin/env python3
"""Controllers outside and recordings, as viewers see them."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from viewer import LOCKSTEP, ROOT, Server, Viewer

SCENARIOS = ROOT / "scenarios"
CONTROLLER = ROOT / "examples/controllers/hold_angle.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python")}
# Maximum time to answer viewers while the simulation waits for a controller, s. The wait is cancelled after 0.15 s; the
# rest is for a busy machine.
SOON = 2.0


def start_controller(address: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, str(CONTROLLER)], env={**ENVIRONMENT, "LOCKSTEP_ADDRESS": address},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Waiting(unittest.TestCase):
    """A connection in lock step without a controller blocks only the simulation."""

    def test_viewers_are_answered_while_no_controller_connects(self):
        with Server(str(SCENARIOS / "machines/delta.xml")) as server, Viewer(server) as viewer:
            self.assertIsNone(viewer.status["recording"])
            viewer.request("play")
            viewer.wait_for("running")
            began = time.monotonic()
            viewer.request("subscribe", poses=True, signals=["time"])
            self.assertEqual(len(viewer.next_state().poses), len(viewer.scene["bodies"]))
            viewer.request("speed", factor=2)
            viewer.request("pause")
            viewer.wait_for("paused")
            self.assertLess(time.monotonic() - began, 4 * SOON)
            self.assertEqual(viewer.status["step"], 0)
            self.assertFalse(viewer.status["connections"][0]["connected"])
            self.assertIn("outside", viewer.rejected("seek", time=0))
            viewer.request("open", path="crane.xml")
            viewer.read_until(lambda: viewer.scene["path"] == "crane.xml")

    def test_ctrl_c_ends_the_wait(self):
        server = Server(str(SCENARIOS / "machines/delta.xml"))
        with Viewer(server) as viewer:
            viewer.request("play")
            viewer.wait_for("running")
            began = time.monotonic()
            self.assertEqual(server.end(), 0)
            self.assertLess(time.monotonic() - began, SOON)

    def test_a_controller_that_comes_late_drives(self):
        """Requests of viewers do not reduce the time that it has."""
        with Server(str(SCENARIOS / "arms/wired-arm.xml")) as server, Viewer(server) as viewer:
            viewer.request("speed", factor=None)
            viewer.request("play", **{"for": 3})
            viewer.wait_for("running")
            for factor in (1, 2, None):
                viewer.request("speed", factor=factor)
                time.sleep(0.7)
            self.assertEqual(viewer.request("files")["ok"], True)
            controller = start_controller(viewer.status["connections"][0]["address"])
            try:
                viewer.request("subscribe", signals=["arm/shoulder/angle"])
                viewer.wait_for("paused")
                self.assertEqual(viewer.status["step"], 3000)
                self.assertTrue(viewer.status["connections"][0]["connected"])
                viewer.request("subscribe", signals=["arm/shoulder/angle"])
                state = viewer.read_until(lambda: viewer.states and viewer.states[-1].rows and viewer.states[-1])
                # The controller acts as a spring: 300 N m/rad against a weight of at most 14 N m.
                self.assertAlmostEqual(state.rows[-1][1], 0.5, delta=0.05)
            finally:
                controller.kill()
                controller.wait()


class Replays(unittest.TestCase):
    """`serve --replay` shows what `run --record` recorded: at every instant the state of the run, bit for bit."""

    def check(self, scenario: str, length: str, *options: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            recording, hashes = folder / "run.rec", folder / "hashes"
            file = str(SCENARIOS / scenario)
            subprocess.run([LOCKSTEP, "run", file, "--for", length, "--record", str(recording), "--hash-log",
                            str(hashes), "--json", *options], check=True, capture_output=True, env=ENVIRONMENT)
            logged = [line.split()[-1] for line in hashes.read_text(encoding="utf-8").splitlines() if line[0].isdigit()]
            with Server("--replay", str(recording)) as server, Viewer(server) as viewer:
                step = viewer.scene["step"]
                steps = round(viewer.status["recording"]["end"] / step)
                self.assertEqual(steps, len(logged))
                poses = {}
                for target in (steps // 3, steps, steps // 2, 1, steps // 3, steps - 1, steps // 2):
                    viewer.request("seek", time=target * step)
                    viewer.request("subscribe", poses=True)
                    state = viewer.read_until(lambda: viewer.states and viewer.states[-1].step == target and viewer.states[-1])
                    self.assertEqual(poses.setdefault(target, state.poses), state.poses)
                    url = viewer.request("download", what="snapshot")["url"]
                    snapshot = folder / "snapshot"
                    snapshot.write_bytes(server.get(url)[2])
                    done = subprocess.run([LOCKSTEP, "run", file, "--load", str(snapshot), "--for", "0s", "--json"],
                                          check=True, capture_output=True)
                    self.assertEqual(json.loads(done.stdout)["hash"], logged[target - 1], f"after step {target}")
                self.assertGreater(len({str(each) for each in poses.values()}), 3, "it moves")
                self.assertFalse([push for push in viewer.pushes if push["push"] == "warning"])

    def test_a_run_by_itself(self):
        self.check("chains/snake.xml", "1s")

    def test_a_run_with_a_controller_outside(self):
        self.check("arms/wired-arm.xml", "1s", "--controller", f"{sys.executable} {CONTROLLER}")


class Mistakes(unittest.TestCase):
    """Errors at the start give an error text and exit code 2."""

    def rejection(self, *arguments: str) -> str:
        done = subprocess.run([LOCKSTEP, "serve", "--port", "0", *arguments], capture_output=True, text=True, check=False,
                              timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_files(self):
        self.assertEqual(self.rejection("/no/such.xml"), "/no/such.xml: error: no such file\n")
        self.assertIn("no/such.rec: error: no such file", self.rejection("--replay", "no/such.rec"))
        self.assertIn("not a recording; expected a file written by --record",
                      self.rejection("--replay", str(SCENARIOS / "chains/snake.xml")))
        self.assertEqual(self.rejection("--root", "/no/such"), "--root: error: '/no/such' is not a folder\n")

    def test_a_scenario_with_errors(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "wrong.xml"
            file.write_text("<scenario name='x'>\n  <grund/>\n</scenario>", encoding="utf-8")
            self.assertIn("wrong.xml:2:", self.rejection(str(file)))

    def test_addresses(self):
        self.assertIn("'elsewhere' is not an address; expected one such as 127.0.0.1", self.rejection("--address", "elsewhere"))
        with Server("--address", "127.0.0.2", "--token", "a-secret-of-mine-1") as server:
            status, _, body = server.get("/")
            self.assertEqual((status, body), (401, b"missing or wrong ?token= in the URL\n"))


if __name__ == "__main__":
    unittest.main()
