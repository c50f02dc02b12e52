#!/usr/bin/env python3
"""Imports MRSim's example, runs it, exports it and imports it again; rejects broken files; prints parts."""

import base64
import os
import re
import struct
import sys
import unittest
import zlib
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from command import CommandTest, lockstep  # noqa: E402

EXAMPLE = ROOT / "scenarios" / "chains" / "mrsim" / "case-study.xml"


def read_stl(file: Path) -> list:
    """The triangles of a binary STL, each three corners."""
    data = file.read_bytes()
    count, = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count
    numbers = [struct.unpack_from("<12f", data, 84 + 50 * i)[3:] for i in range(count)]
    return [(each[0:3], each[3:6], each[6:9]) for each in numbers]


def volume_of(triangles: list) -> float:
    """By the divergence theorem; positive if the faces point outwards."""
    return sum(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
               for a, b, c in triangles) / 6.0


def is_watertight(triangles: list) -> bool:
    """Each edge appears once in either direction."""
    edges = [edge for a, b, c in triangles for edge in ((a, b), (b, c), (c, a))]
    return len(set(edges)) == len(edges) and all((b, a) in set(edges) for a, b in edges)


class Mrsim(CommandTest):
    def rejection(self, text: str) -> str:
        """The error of a file that cannot be imported; nothing may be written."""
        file, output = self.path / "broken.xml", self.path / "out.xml"
        file.write_text(text, encoding="utf-8")
        done = lockstep("import", file, "-o", output)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertFalse(output.exists())
        return done.stderr.replace(str(self.path) + "/", "")

    def test_the_report_lists_what_was_read_assumed_and_lost(self) -> None:
        report = self.do("import", EXAMPLE, "-o", self.path / "a.xml")
        for line in ("a robot of 5 modules and 6 sensor modules", "a terrain of 128 by 128 heights", "1 scene objects",
                     "a length of 1 is 0.1 m, a mass of 1 is 0.001 kg", "Young's moduli", "no motion"):
            self.assertIn(line, report)
        self.assertLess(report.index("read\n"), report.index("assumed\n"))
        self.assertLess(report.index("assumed\n"), report.index("lost\n"))

    def test_lost_meshes_are_reported(self) -> None:
        file = self.path / "mesh.xml"
        mesh = "<meshVertices><Vector3><x>0</x><y>0</y><z>0</z></Vector3></meshVertices>"
        file.write_text(EXAMPLE.read_text(encoding="utf-8").replace("</Frame>", mesh + "</Frame>", 1), encoding="utf-8")
        self.assertIn("meshes of the frames", self.do("import", file, "-o", self.path / "a.xml"))
        self.assertNotIn("meshes of the frames", self.do("import", EXAMPLE, "-o", self.path / "a.xml"))

    def test_the_example_comes_to_rest_on_its_terrain(self) -> None:
        self.do("import", EXAMPLE, "-o", self.path / "a.xml")
        log = self.path / "log.csv"
        self.do("run", self.path / "a.xml", "--for", "2s", "--log", log)
        lines = log.read_text(encoding="utf-8").splitlines()
        last = dict(zip((name.split(" [")[0] for name in lines[0].split(",")), map(float, lines[-1].split(","))))
        # Grey 140 of 255 is 140/255 of 20 units of 10 cm; the centre of the head is half a module and a plate above.
        ground = 140.0 / 255.0 * 2.0
        self.assertAlmostEqual(last["robot/head/z"], ground + 0.03 + 0.0002, delta=2e-4)
        # It fell 72 mm, straight down.
        self.assertAlmostEqual(last["robot/head/x"], 0.0, delta=2e-3)
        # Six sensor modules, their plates and eye, and five modules weigh 1607 g; the plates rest on the ground.
        carried = sum(last[f"robot/pad{i}_bottom/force_z"] for i in range(1, 7))
        self.assertAlmostEqual(carried, -(1.607 - 0.006) * 9.81, delta=0.3)
        # The ball, 10 cm in radius, is 0.4 m ahead; the eye points at it 3 cm above the ground.
        self.assertAlmostEqual(last["robot/eye1_front/distance"], 0.4 - 0.01 - (0.1**2 - (0.1 - 0.0302)**2) ** 0.5, delta=0.01)

    def test_the_example_round_trips(self) -> None:
        first, back, second = self.path / "a.xml", self.path / "b.xml", self.path / "c.xml"
        self.do("import", EXAMPLE, "-o", first)
        report = self.do("export", first, "-o", back)
        self.assertIn("5 modules and 6 sensor modules", report)
        self.do("import", back, "-o", second)
        self.assertEqual(first.read_text(encoding="utf-8"), second.read_text(encoding="utf-8"))

    def test_units_can_be_set(self) -> None:
        self.do("import", EXAMPLE, "-o", self.path / "a.xml", "--unit-length", "1 m", "--unit-mass", "1 kg")
        text = (self.path / "a.xml").read_text(encoding="utf-8")
        self.assertIn('size="0.78 0.6 0.6"', text)
        self.assertIn('mass="200"', text)
        self.assertEqual(lockstep("import", EXAMPLE, "-o", self.path / "b.xml", "--unit-length", "1 s").returncode, 2)

    def test_broken_files_are_rejected_with_their_place(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        line_of = lambda part: text[:text.index(part)].count("\n") + 1
        cases = (
            ("<mod_Nr>0</mod_Nr>", "<mod_Nr>zero</mod_Nr>", "<mod_Nr>: 'zero' is not a number"),
            ("<scale>10</scale>", "<scale>NaN</scale>", "<scale>: 'NaN' is not a number"),
            ("<scale>10</scale>", "<scale>1e999</scale>", "<scale>: '1e999' is not a number"),
            ("<scale>10</scale>", "<scale>-1</scale>", "<scale>: -1 is out of range; expected 1e-06 to 1000000"),
            ("<Kp>8</Kp>", "<KP>8</KP>", "<joint> contains no <Kp>"),
            ("<axis>Pitch</axis>", "<axis>Roll</axis>", "the axis is 'Roll'; expected 'Pitch' or 'Yaw'"),
            ("<shape>Sphere</shape>", "<shape>Cone</shape>", "the shape is 'Cone'; expected 'Box' or 'Sphere'"),
            ("<height>20</height>", "<hieght>20</hieght>", "<scene> cannot contain <hieght>; did you mean 'height'?"),
            ("<height_Image>", "<height_Image>!", "its text is not base64"),
            ("<type>Hinge</type>", "<type>Screw</type>", "the joint is a 'Screw'; expected 'Hinge'"),
            ("<rightMod_Nr>3</rightMod_Nr>", "<rightMod_Nr>9</rightMod_Nr>", "expected neighbours"),
            ("</Scenario>", "", "<Scenario>"),
        )
        for found, put, error in cases:
            said = self.rejection(text.replace(found, put, 1))
            self.assertIn(error, said, f"{found} -> {put}")
            place = re.match(r"broken\.xml:(\d+):\d+: error: ", said)
            self.assertIsNotNone(place, said)
        said = self.rejection(text.replace("<Kp>8</Kp>", "<Kp>eight</Kp>", 1))
        self.assertEqual(said, f"broken.xml:{line_of('<Kp>8</Kp>')}:11: error: <Kp>: 'eight' is not a number\n")

    def test_other_joints_and_doubled_modules_are_rejected(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        guid = re.search(r"<leftFrameGuid>([0-9a-f-]{36})</leftFrameGuid>", text)[1]
        self.assertIn("expected the guid of its frame",
                      self.rejection(text.replace(f"<leftFrameGuid>{guid}", "<leftFrameGuid>0" + guid[1:], 1)))
        self.assertIn("another of that number", self.rejection(text.replace("<mod_Nr>1</mod_Nr>", "<mod_Nr>0</mod_Nr>", 1)))
        self.assertIn("expected 2", self.rejection(re.sub(r"<Frame>.*?</Frame>", "", text, count=1, flags=re.S)))

    def test_images_are_checked_before_decompression(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        image = re.compile(r"<height_Image>[^<]*")
        # 40,000 by 40,000 pixels, of which the file has none.
        header = struct.pack(">IIBBBBB", 40000, 40000, 8, 0, 0, 0, 0)
        chunk = struct.pack(">I", 13) + b"IHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
        bomb = base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk).decode()
        self.assertIn("error", self.rejection(image.sub("<height_Image>" + bomb, text)))
        self.assertIn("neither a PNG nor a square of grey values", self.rejection(image.sub("<height_Image>AAAA", text)))

    def test_a_square_of_bytes_is_an_image(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        grey = base64.b64encode(bytes([140]) * 128 * 128).decode()
        self.assertEqual(len(grey), 21848)  # as long as the image of the published file
        file = self.path / "raw.xml"
        file.write_text(re.sub(r"<height_Image>[^<]*", "<height_Image>" + grey, text), encoding="utf-8")
        self.assertIn("a terrain of 128 by 128 heights", self.do("import", file, "-o", self.path / "a.xml"))

    def test_unknown_formats_are_rejected_with_the_list_of_known_ones(self) -> None:
        said = self.rejection("no robot\n")
        for part in ("broken.xml: error: the format of the file is not supported; known are: mrsim (MRSim scenario, "
                     "XML with <Scenario> as root)", "urdf (", "mjcf ("):
            self.assertIn(part, said)
        done = lockstep("export", ROOT / "scenarios" / "basics" / "pendulum.xml", "-o", self.path / "out.xml")
        self.assertIn("there is no robot with a <chain>; MRSim supports no other robots", done.stderr)

    def test_parts_are_exported_in_millimetres(self) -> None:
        report = self.do("export", ROOT / "scenarios" / "basics" / "push-ball.xml", "-o", f"{self.path}/parts/")
        files = {file.name: read_stl(file) for file in (self.path / "parts").iterdir()}
        # Front and rear frames, the sensor module, the plate under it.
        self.assertEqual(sorted(files), ["robot-module1a.stl", "robot-module1b.stl", "robot-pad1_bottom.stl", "robot-sensor1.stl"])
        for name, volume, low, high in (
                ("robot-module1a.stl", 39.0 * 60.0 * 60.0, (0.0, -30.0, -30.0), (39.0, 30.0, 30.0)),
                ("robot-module1b.stl", 39.0 * 60.0 * 60.0, (-39.0, -30.0, -30.0), (0.0, 30.0, 30.0)),
                ("robot-sensor1.stl", 20.0 * 60.0 * 60.0, (-10.0, -30.0, -30.0), (10.0, 30.0, 30.0)),
                ("robot-pad1_bottom.stl", 20.0 * 60.0 * 2.0, (-10.0, -30.0, -1.0), (10.0, 30.0, 1.0))):
            triangles = files[name]
            self.assertTrue(is_watertight(triangles), name)
            self.assertAlmostEqual(volume_of(triangles) / volume, 1.0, delta=1e-6)
            for axis in range(3):
                values = [corner[axis] for triangle in triangles for corner in triangle]
                self.assertAlmostEqual(min(values), low[axis], delta=1e-4)
                self.assertAlmostEqual(max(values), high[axis], delta=1e-4)
        self.assertIn("robot-module1a.stl: 39 x 60 x 60 mm, quantity 5", report)
        self.assertIn("robot-sensor1.stl: 20 x 60 x 60 mm, quantity 6", report)


if __name__ == "__main__":
    unittest.main()
