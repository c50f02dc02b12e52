#!/usr/bin/env python3
"""Everything of docs/viewer-protocol.md over a real socket."""

import csv
import gzip
import json
import math
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from viewer import LOCKSTEP, ROOT, Server, Viewer

SCENARIOS = ROOT / "scenarios"


def run(*arguments: str) -> dict:
    done = subprocess.run([LOCKSTEP, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


class Serving(unittest.TestCase):
    scenario = "pendulum"

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        file = next(SCENARIOS.glob(f"*/{self.scenario}.xml"))
        shutil.copytree(file.parent, self.folder / "scenarios")
        self.file = str(self.folder / "scenarios" / file.name)
        self.server = Server(self.file)
        self.viewer = Viewer(self.server)

    def tearDown(self):
        self.viewer.connection.close()
        self.assertEqual(self.server.end(), 0)
        self.temporary.cleanup()

    def run_steps(self, count: int) -> None:
        self.viewer.request("speed", factor=None)
        target = self.viewer.status["step"] + count
        self.viewer.request("step", count=count)
        self.viewer.wait_for_step(target)
        self.viewer.wait_for("paused")

    def fetch(self, url: str) -> Path:
        status, _, body = self.server.get(url)
        self.assertEqual(status, 200)
        file = self.folder / "fetched"
        file.write_bytes(body)
        return file

    def hash_now(self) -> str:
        snapshot = self.fetch(self.viewer.request("download", what="snapshot")["url"])
        return run("run", self.file, "--load", str(snapshot), "--for", "0s", "--json")["hash"]


class Protocol(Serving):
    def test_hello_tells_the_scene(self):
        scene = self.viewer.scene
        self.assertEqual(scene["bodies"][0]["parent"], -1)
        self.assertEqual(self.viewer.status["state"], "paused")
        joint = next(each for each in scene["joints"] if each["type"] == "hinge")
        self.assertEqual(joint["unit"], "rad")
        names = {signal["name"] for signal in scene["signals"]}
        for device in scene["devices"]:
            self.assertLessEqual(set(device["signals"]), names)

    def test_runs_to_the_hash_of_a_plain_run(self):
        self.run_steps(500)
        step = self.viewer.scene["step"]
        self.assertEqual(self.hash_now(), run("run", self.file, "--for", f"{500 * step}s", "--json")["hash"])

    def test_streams_poses_and_every_row(self):
        signal_name = next(s["name"] for s in self.viewer.scene["signals"] if s["name"].endswith("/angle"))
        self.viewer.request("subscribe", signals=[signal_name], poses=True, rate=60)
        self.viewer.next_state()
        self.run_steps(300)
        state = self.viewer.read_until(lambda: self.viewer.states[-1].step == 300 and self.viewer.states[-1])
        self.assertEqual(len(state.poses), len(self.viewer.scene["bodies"]))
        self.assertAlmostEqual(sum(x * x for x in state.poses[1][3:]), 1.0, places=5)
        rows = {row[0]: row[1] for each in self.viewer.states for row in each.rows}
        log = self.folder / "log.csv"
        run("run", self.file, "--for", f"{300 * self.viewer.scene['step']}s", "--log", str(log), "--json")
        with open(log, encoding="utf-8") as lines:
            reader = csv.reader(lines)
            header = [name.split(" [")[0] for name in next(reader)]
            logged = {float(row[0]): float(row[header.index(signal_name)]) for row in reader}
        self.assertGreater(len(set(rows) & set(logged)), 250)
        for time, value in rows.items():
            self.assertEqual(value, logged[time], f"at {time} s")

    def test_paused_it_shows_what_is_done(self):
        self.run_steps(10)
        joint = self.viewer.scene["joints"][0]["name"]
        signal_name = next(s["name"] for s in self.viewer.scene["signals"] if s["name"].endswith("/angle"))
        self.viewer.request("subscribe", signals=[signal_name], poses=True)
        before = self.viewer.next_state()
        self.assertEqual(len(before.rows), 1)
        self.viewer.request("joint", joint=joint, position=0.25)
        after = self.viewer.next_state()
        self.assertEqual(after.step, before.step)
        self.assertNotEqual(after.poses, before.poses)
        self.assertEqual(after.joints[0], (0.25,))
        self.run_steps(1)
        state = self.viewer.read_until(lambda: self.viewer.states[-1].rows and self.viewer.states[-1].rows[-1][1] != 0
                                       and self.viewer.states[-1].step == 11 and self.viewer.states[-1])
        self.assertAlmostEqual(state.rows[-1][1], 0.25, places=9)

    def test_speed_is_kept(self):
        self.viewer.request("speed", factor=0.5)
        self.viewer.request("play")
        self.viewer.read_until(lambda: self.viewer.status["time"] > 0.4)
        self.assertLess(self.viewer.status["rtf"], 0.6)
        self.viewer.request("pause")
        self.viewer.wait_for("paused")

    def test_seek_save_load_branch_and_reset(self):
        self.run_steps(1000)
        end = self.hash_now()
        self.viewer.request("save", name="end")
        self.viewer.request("seek", time=0.1)
        at_seek = self.hash_now()
        step = self.viewer.scene["step"]
        steps = round(0.1 / step)
        self.assertEqual(at_seek, run("run", self.file, "--for", f"{steps * step}s", "--json")["hash"])
        self.viewer.request("seek", time=1000 * step)
        self.assertEqual(self.hash_now(), end)
        self.viewer.request("seek", time=0.1)
        self.viewer.read_until(lambda: self.viewer.status["step"] == steps)
        self.run_steps(1000 - steps)
        self.assertEqual(self.hash_now(), end, "repeating the steps gives the same state")
        self.viewer.request("reset")
        self.viewer.read_until(lambda: self.viewer.status["step"] == 0)
        answer = self.viewer.request("load", name="end")
        self.assertAlmostEqual(answer["time"], 1000 * step)
        self.assertEqual(self.hash_now(), end)
        self.assertIn("recorded", self.viewer.rejected("seek", time=0.1))
        self.assertEqual(self.viewer.request("delete", name="end")["snapshots"], [])
        self.assertIn("no snapshot", self.viewer.rejected("load", name="end"))

    def test_a_pull_moves_and_releases(self):
        scene = self.viewer.scene
        body = next(each["name"] for each in scene["bodies"] if each["movable"])
        self.viewer.request("subscribe", poses=True)
        self.viewer.request("pull", body=body, point=[0, 0, -0.5], target=[3, 0, 0])
        self.run_steps(2000)
        pulled = self.viewer.next_state() if not self.viewer.states else self.viewer.states[-1]
        self.viewer.request("pull", body=body, target=None)
        texts = [push["text"] for push in self.viewer.pushes if push["push"] == "event"]
        self.viewer.read_until(lambda: any("released" in push.get("text", "") for push in self.viewer.pushes))
        self.assertTrue(any("pulled" in text for text in texts), texts)
        self.assertTrue(all(math.isfinite(x) for pose in pulled.poses for x in pose))

    def test_edits_go_on_or_restart(self):
        self.run_steps(100)
        joint = self.viewer.scene["joints"][0]["name"]
        attributes = self.viewer.request("attributes", path=joint)["attributes"]
        damping = next(each for each in attributes if each["name"] == "damping")
        self.assertEqual(damping["min"], 0)
        initial = next(each for each in attributes if each["name"] == "initial")
        self.assertEqual((initial["value"], initial["unit"]), ("60 deg", "rad"))
        self.assertAlmostEqual(initial["number"], math.pi / 3)
        answer = self.viewer.request("edit", xpath=damping["xpath"], value="0.3")
        self.assertEqual(answer["restarted"], False)
        self.viewer.read_until(lambda: any(push["push"] == "scene" for push in self.viewer.pushes))
        self.assertEqual(self.viewer.status["step"], 100)
        self.assertIn('damping="0.3"', self.viewer.request("source")["text"])
        after = next(each for each in self.viewer.request("attributes", path=joint)["attributes"] if each["name"] == "damping")
        self.assertEqual(after["value"], "0.3")
        answer = self.viewer.ask("edit", xpath=damping["xpath"], value="-1")
        self.assertFalse(answer["ok"])
        self.assertEqual(len(answer["diagnostics"]), 1)

    def test_errors_come_with_their_line(self):
        text = "<scenario name='x'>\n  <grund/>\n</scenario>"
        answer = self.viewer.ask("open", text=text, name="mine.xml")
        self.assertFalse(answer["ok"])
        self.assertEqual((answer["diagnostics"][0]["file"], answer["diagnostics"][0]["line"]), ("mine.xml", 2))
        self.assertEqual(answer["text"], text)
        self.assertEqual(self.viewer.scene["path"], "pendulum.xml")

    def test_opens_from_the_root_the_gallery_and_a_text(self):
        answer = self.viewer.request("files")
        self.assertIn("rolling.xml", [each["path"] for each in answer["files"]])
        self.assertIn("basics/drop", [each["name"] for each in answer["gallery"]])
        for fields in ({"path": "rolling.xml"}, {"gallery": "basics/drop"},
                       {"text": Path(self.file).read_text(encoding="utf-8"), "name": "mine.xml"}):
            self.viewer.pushes.clear()
            self.viewer.request("open", **fields)
            self.viewer.read_until(lambda: any(push["push"] == "scene" for push in self.viewer.pushes))
            self.viewer.read_until(lambda: self.viewer.status["step"] == 0)
            self.run_steps(20)

    def test_everybody_sees_the_same(self):
        with Viewer(self.server) as other:
            other.request("play", **{"for": 0.05})
            self.viewer.read_until(lambda: self.viewer.status["time"] > 0)
            other.request("open", path="drop.xml")
            self.viewer.read_until(lambda: self.viewer.scene["path"] == "drop.xml")
            self.viewer.read_until(lambda: self.viewer.status["viewers"] == 2)

    def test_a_steered_run_is_recorded_and_replayed(self):
        """The recording contains the actions of viewers: its replay gives the same bits."""
        joint = self.viewer.scene["joints"][0]["name"]
        body = next(each["name"] for each in self.viewer.scene["bodies"] if each["movable"])
        self.viewer.request("joint", joint=joint, position=0.4)
        self.viewer.request("speed", factor=2)
        self.viewer.request("play")
        self.viewer.read_until(lambda: self.viewer.status["time"] > 0.1)
        self.viewer.request("pull", body=body, point=[0, 0, -0.2], target=[1, 0, 0])
        self.viewer.read_until(lambda: self.viewer.status["time"] > 0.3)
        self.viewer.request("pull", body=body, target=None)
        self.viewer.request("pause")
        self.viewer.wait_for("paused")
        self.viewer.request("joint", joint=joint, position=-0.2)
        self.run_steps(100)
        end = self.hash_now()
        recording = self.fetch(self.viewer.request("download", what="recording")["url"])
        replayed = run("replay", str(recording), "--json")
        self.assertTrue(replayed["same"] and replayed["complete"], replayed)
        self.assertEqual(replayed["hash"], end)
        with Server("--replay", str(recording)) as server, Viewer(server) as viewer:
            self.assertEqual(viewer.status["recording"]["start"], 0)
            viewer.request("seek", time=viewer.status["recording"]["end"])
            snapshot = Path(self.temporary.name) / "replayed"
            snapshot.write_bytes(server.get(viewer.request("download", what="snapshot")["url"])[2])
            self.assertEqual(run("run", self.file, "--load", str(snapshot), "--for", "0s", "--json")["hash"], end)
            self.assertIn("recording", viewer.rejected("joint", joint=joint, position=0.1))
            viewer.request("seek", time=0.1)
            viewer.request("speed", factor=None)
            viewer.request("play")
            self.assertEqual(viewer.wait_for("ended")["outcome"], "end of the recording")
            self.assertFalse([push for push in viewer.pushes if push["push"] == "warning"])
            end = viewer.status["step"]
            viewer.request("play", **{"for": 0.001})
            self.assertLess(viewer.wait_for("paused")["step"], end, "it starts over")

    def test_downloads_stand_alone(self):
        packed = self.fetch(self.viewer.request("download", what="scenario")["url"])
        self.assertEqual(run("run", str(packed), "--for", "0.1s", "--json")["hash"],
                         run("run", self.file, "--for", "0.1s", "--json")["hash"])

    def test_the_page_comes_compressed_and_is_not_sent_twice(self):
        status, headers, body = self.server.get("/", Accept_Encoding="gzip")
        self.assertEqual((status, headers["content-encoding"]), (200, "gzip"))
        self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        self.assertEqual(gzip.decompress(body), self.server.get("/")[2])
        self.assertEqual(self.server.get("/", If_None_Match=headers["etag"])[0], 304)


class Terrain(Serving):
    scenario = "bowl"

    def test_heights_are_fetched_by_their_address(self):
        url = self.viewer.scene["heightmaps"][0]["url"]
        status, headers, body = self.server.get(url)
        self.assertEqual(status, 200)
        columns, rows = (int.from_bytes(body[i:i + 4], "little") for i in (0, 4))
        self.assertEqual(len(body), 8 + 4 * columns * rows)
        status, headers, packed = self.server.get(url, Accept_Encoding="gzip")
        self.assertEqual((status, headers["content-encoding"]), (200, "gzip"))
        self.assertIn("immutable", headers["cache-control"])
        self.assertEqual(gzip.decompress(packed), body)

    def test_an_edit_keeps_the_addresses_of_what_it_does_not_change(self):
        scene = self.viewer.scene
        self.viewer.request("edit", xpath="/scenario/@step", value="2 ms")
        self.viewer.read_until(lambda: self.viewer.scene["id"] != scene["id"])
        self.assertEqual(self.viewer.scene["heightmaps"], scene["heightmaps"])
        self.assertEqual(self.server.get(scene["heightmaps"][0]["url"])[0], 200)

    def test_contacts_carry_the_weight(self):
        self.viewer.request("subscribe", contacts=True)
        self.run_steps(3000)
        self.viewer.request("subscribe", contacts=True)
        self.assertGreater(len(self.viewer.next_state().contacts), 0)


class Sensing(Serving):
    scenario = "wall-follower"

    def test_rays_are_drawn(self):
        self.viewer.request("subscribe", rays=True)
        self.assertGreater(len(self.viewer.next_state().rays), 0)


class Planned(Serving):
    scenario = "six-joints"

    def test_paths_are_predicted(self):
        paths = self.viewer.request("plan")["paths"]
        self.assertGreater(len(paths), 0)
        self.assertGreater(len(paths[0]["points"]), 100)
        points = [tuple(point) for point in paths[-1]["points"]]
        self.assertGreater(len(set(points)), 10, "it moves")


class Command(unittest.TestCase):
    def test_a_port_that_is_taken(self):
        with Server() as server:
            done = subprocess.run([LOCKSTEP, "serve", "--port", str(server.port)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("another program uses this port", done.stderr)

    def test_play_begins_when_the_first_viewer_is_ready(self):
        with Server(str(SCENARIOS / "basics/pendulum.xml"), "--play") as server:
            with Viewer(server) as viewer:
                time.sleep(0.3)
                viewer.request("speed", factor=1)
                self.assertEqual(viewer.status["step"], 0)
                viewer.request("ready")
                viewer.read_until(lambda: viewer.status["state"] == "running" and viewer.status["step"] > 0)

    def test_interrupt_ends_it_cleanly(self):
        server = Server(str(SCENARIOS / "basics/pendulum.xml"))
        with Viewer(server) as viewer:
            viewer.request("play")
            server.process.send_signal(signal.SIGINT)
            _, errors = server.process.communicate(timeout=30)
        self.assertEqual((server.process.returncode, errors), (0, ""))


if __name__ == "__main__":
    unittest.main()
