#!/usr/bin/env python3
"""What viewers may do with scenarios that they upload or edit: not more than the page needs."""

import shutil
import tempfile
import time
import unittest
from pathlib import Path

from viewer import ROOT, Server, Viewer

SCENARIOS = ROOT / "scenarios"
# Maximum time to answer viewers while a script is running, s. Its call is cancelled after 0.15 s; the rest is for a busy
# machine.
SOON = 3.0


def connected(address: str) -> str:
    return f"""<scenario name="up"><robot name="r"><link name="a"/><link name="b" parent="a"><joint name="j"/>
      <sphere radius="0.1" mass="1"/></link><actuators><torque name="t" joint="j" limit="1"/></actuators>
      <connections><wire name="plc" address="{address}" period="1 ms" writes="t/*"/></connections></robot></scenario>"""


def scripted(instructions: int, script: str) -> str:
    return f"""<scenario name="up" step="1 ms" duration="100 s"><object name="o"><sphere radius="1" mass="1"/></object>
      <controllers><lua name="s" instructions="{instructions}">{script}</lua></controllers></scenario>"""


ENDLESS = "function step(time) while true do end end"


class Addresses(unittest.TestCase):
    BAD = ["tcp:0.0.0.0:0", "udp:0.0.0.0:0", "tcp:[::]:0", "tcp:127.example.com:0", "tcp:192.168.0.1:0",
           "unix:/tmp/lockstep-test.sock", "unix:../x.sock", "unix:x.sock", "pipe:/tmp/lockstep-test", "shm:lockstep-test"]

    def test_uploads_listen_only_on_loopback(self):
        with Server("--root", str(SCENARIOS)) as server, Viewer(server) as viewer:
            for address in ("tcp:127.0.0.1:0", "udp:localhost:0", "tcp:[::1]:0"):
                viewer.request("open", text=connected(address), name="up.xml")
            for address in self.BAD:
                with self.subTest(address):
                    error = viewer.rejected("open", text=connected(address), name="up.xml")
                    self.assertIn("expected tcp or udp on 127.0.0.1, or a path below", error)

    def test_sockets_and_pipes_belong_in_the_folder_of_the_server(self):
        with Server("--root", str(SCENARIOS)) as server, Viewer(server) as viewer:
            error = viewer.rejected("open", text=connected("unix:/tmp/x"), name="up.xml")
            folder = Path(error.split("below '")[1].split("'")[0])
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
            self.assertIn("expected", viewer.rejected("open", text=connected(f"unix:{folder}/../x"), name="up.xml"))
            viewer.request("open", text=connected(f"unix:{folder}/x"), name="up.xml")
            self.assertTrue((folder / "x").is_socket())
            self.assertEqual(server.end(), 0)
        self.assertFalse(folder.exists())

    def test_edits_keep_the_address_of_the_file_and_get_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            socket = f"unix:{folder}/own.sock"
            (Path(folder) / "own.xml").write_text(connected(socket), encoding="utf-8")
            with Server(f"{folder}/own.xml") as server, Viewer(server) as viewer:
                viewer.request("edit", xpath="//sphere/@mass", value="2")
                self.assertEqual(viewer.request("source")["text"].count(socket), 1)
                for address in self.BAD:
                    viewer.rejected("edit", xpath="//wire/@address", value=address)
                viewer.request("edit", xpath="//wire/@address", value="tcp:127.0.0.1:0")
                viewer.request("reload")

    def test_an_option_trusts_viewers(self):
        with Server("--root", str(SCENARIOS), "--trust-viewers") as server, Viewer(server) as viewer:
            text = connected("tcp:0.0.0.0:0").replace("<wire ", '<wire token="0123456789abcdef" ')
            viewer.request("open", text=text, name="up.xml")


class Scripts(unittest.TestCase):
    def test_uploads_have_a_capped_budget(self):
        with Server("--root", str(SCENARIOS)) as server, Viewer(server) as viewer:
            error = viewer.rejected("open", text=scripted(1_000_000_000, ENDLESS), name="up.xml")
            self.assertIn("at most 1000000 instructions per call", error)
            viewer.request("open", text=scripted(1_000_000, ENDLESS), name="up.xml")

    def test_a_long_script_delays_neither_requests_nor_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "s.xml").write_text(scripted(1_000_000_000, ENDLESS), encoding="utf-8")
            server = Server(f"{folder}/s.xml")
            with Viewer(server) as viewer:
                viewer.request("play")
                for _ in range(3):
                    began = time.monotonic()
                    viewer.request("speed", factor=2)
                    self.assertLess(time.monotonic() - began, SOON)
                viewer.request("pause")
                viewer.wait_for("paused")
                self.assertEqual(viewer.status["step"], 0)
                viewer.request("play")
                began = time.monotonic()
                self.assertEqual(server.end(), 0)
                self.assertLess(time.monotonic() - began, SOON)

    def test_a_cancelled_call_is_repeated_from_its_start(self):
        """Its state is that of a run without viewers, however often its calls were cancelled."""
        script = """state.n = 0
          function step(time) state.n = state.n + 1; local x = 0; for i = 1, 3000000 do x = x + 1 end end"""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "s.xml").write_text(scripted(100_000_000, script), encoding="utf-8")
            with Server(f"{folder}/s.xml") as server, Viewer(server) as viewer:
                viewer.request("step", count=4)
                for _ in range(8):
                    viewer.request("speed", factor=None)
                viewer.read_until(lambda: viewer.status["state"] == "paused" and viewer.status["step"] == 4)
                first = server.get(viewer.request("download", what="snapshot")["url"])[2]
                viewer.request("reset")
                viewer.read_until(lambda: viewer.status["step"] == 0)
                viewer.request("step", count=4)
                viewer.read_until(lambda: viewer.status["state"] == "paused" and viewer.status["step"] == 4)
                self.assertEqual(server.get(viewer.request("download", what="snapshot")["url"])[2], first)


class Other(unittest.TestCase):
    def test_titles_are_short(self):
        with Server("--root", str(SCENARIOS)) as server, Viewer(server) as viewer:
            text = f"<scenario name='{'x' * (15 << 20)}'/>"
            self.assertIn("at most 200 bytes", viewer.rejected("open", text=text, name="up.xml"))

    def test_errors_do_not_tell_where_the_server_keeps_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            gallery = Path(folder) / "share/lockstep/scenarios"
            gallery.mkdir(parents=True)
            (gallery / "broken.xml").write_text("<scenario><object/></scenario>", encoding="utf-8")
            root = Path(folder) / "root"
            root.mkdir()
            shutil.copy(gallery / "broken.xml", Path(folder) / "outside.xml")
            with Server("--root", str(root)) as server, Viewer(server) as viewer:
                for fields in ({"path": "../outside.xml"}, {"path": "missing.xml"}, {"gallery": "../broken"}, {"gallery": "no"}):
                    with self.subTest(fields):
                        answer = viewer.ask("open", **fields)
                        self.assertFalse(answer["ok"])
                        self.assertNotIn(folder, str(answer))

    def test_files_that_are_not_what_they_claim(self):
        with Server(str(SCENARIOS / "basics/pendulum.xml")) as server, Viewer(server) as viewer:
            self.assertIn("base64", viewer.rejected("open", recording="!", name="a.rec"))
            self.assertIn("required", viewer.rejected("open", recording="AAAA"))
            viewer.rejected("open", recording="AAAA", name="../a.rec")
            viewer.rejected("open", recording="AAAA", name="a.rec")
            viewer.rejected("load", name="a", data="AAAA")
            self.assertIn("base64", viewer.rejected("load", name="a", data="?"))
            # The run is still there.
            self.assertEqual(viewer.request("step", count=1)["ok"], True)
            viewer.wait_for("paused")
            self.assertEqual(viewer.status["snapshots"], [])


if __name__ == "__main__":
    unittest.main()
