#!/usr/bin/env python3
"""The game tables of scenarios/botball, with a demobot and with a Create, compared with their geometry."""

import csv
import json
import math
import os
import subprocess
import unittest

from botball import ROOT, BotballTest

DEMOBOT = ROOT / "scenarios/botball/table-demobot.xml"
CREATE = ROOT / "scenarios/botball/table-create.xml"

CONTROLLER = """
import sys
sys.path.insert(0, {client!r})
import lockstep_client
with lockstep_client.connect(name="driver") as sim:
    for time in sim:
        speed = {speed} / 0.036
        sim["create/create2_left_drive/target"] = speed
        sim["create/create2_right_drive/target"] = {right} * speed
        sim["create/panel/running"] = 1.0
"""


def rotate(q: list, v: list) -> list:
    """v turned by the quaternion w x y z."""
    w, x, y, z = q
    uv = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]]
    uuv = [y * uv[2] - z * uv[1], z * uv[0] - x * uv[2], x * uv[1] - y * uv[0]]
    return [v[i] + 2.0 * (w * uv[i] + uuv[i]) for i in range(3)]


class Table(BotballTest):
    def drive_create(self, seconds: float, speed: float, right: float = 1.0, *options: str) -> tuple:
        """The rows of a run of the Create at a speed in m/s, and its result."""
        controller = self.path / "controller.py"
        controller.write_text(CONTROLLER.format(client=str(ROOT / "clients/python"), speed=speed, right=right))
        log = self.path / "run.csv"
        done = subprocess.run([os.environ["LOCKSTEP"], "run", str(CREATE), "--for", f"{seconds}s", "--json",
                               "--controller", f"exec python3 {controller}", "--log", str(log), *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with log.open(encoding="utf-8") as file:
            return list(csv.DictReader(file)), json.loads(done.stdout)

    @staticmethod
    def value(row: dict, name: str) -> float:
        return float(next(value for key, value in row.items() if key.split(" ")[0] == name))

    def test_the_demobot_pushes_two_cubes_into_the_bin(self) -> None:
        # From its bumper, 112 mm ahead of the wheels, the second cube is past the line at 1.625 m after 1.55 m.
        run = self.run_main("motor(0, 90); motor(3, 90); while (gmpc(0) < 14500) msleep(5); ao(); msleep(300);", "W",
                            "--for", "40s", scenario=str(DEMOBOT))
        self.assertEqual(run.program["end"], "main returned")
        self.assertEqual(run.result["scores"], {"score": 20.0})

    def test_the_camera_of_the_demobot_sees_poms_at_the_right_pixel(self) -> None:
        file, log = self.path / "wait.c", self.path / "run.csv"
        file.write_text("int main() { camera_open(); msleep(500); return 0; }")
        width, height, angle = 640, 480, math.radians(56.0)
        run = self.launch(file, "--era", "W", "--scenario", DEMOBOT, "--log", log,
                          "--set", f"//camera/@width={width}", "--set", f"//camera/@height={height}")
        self.assertEqual(run.code, 0, run.errors)
        with log.open(encoding="utf-8") as rows:
            # An image was taken every 66 ms.
            row = list(csv.DictReader(rows))[66 * 7]
        signal = lambda name: self.value(row, f"demobot/{name}")
        focal = width / 2.0 / math.tan(angle / 2.0)
        q = [signal(f"pose/q{axis}") for axis in "wxyz"]
        at = [signal(f"pose/{axis}") for axis in "xyz"]
        eye = [at[i] + rotate(q, [-0.04, 0.0, 0.2225])[i] for i in range(3)]
        down = math.radians(25.0)
        for channel, center in ((2, [1.2, 0.25, 0.0254]), (3, [1.35, -0.2, 0.0254])):
            from_eye = [center[i] - eye[i] for i in range(3)]
            x, y, z = rotate([q[0], -q[1], -q[2], -q[3]], from_eye)
            # In the frame of the camera, which is tilted down.
            x, z = x * math.cos(down) - z * math.sin(down), x * math.sin(down) + z * math.cos(down)
            self.assertEqual(signal(f"camera/channel{channel}/count"), 1.0)
            # The image of a ball is an ellipse; its centre is between tan(a - b) and tan(a + b).
            off, distance = math.hypot(y, z), math.sqrt(x * x + y * y + z * z)
            a, b = math.atan2(off, x), math.asin(0.0254 / distance)
            middle = (math.tan(a - b) + math.tan(a + b)) / 2.0
            major = (math.tan(a + b) - math.tan(a - b)) / 2.0
            minor = math.sin(b) / math.sqrt(math.cos(a + b) * math.cos(a - b))
            area = math.pi * major * minor * focal * focal
            blob = f"camera/channel{channel}/blob0"
            self.assertAlmostEqual(signal(f"{blob}/x"), width / 2.0 - focal * middle * y / off, delta=1.0)
            self.assertAlmostEqual(signal(f"{blob}/y"), height / 2.0 - focal * middle * z / off, delta=1.0)
            self.assertAlmostEqual(signal(f"{blob}/area"), area, delta=0.02 * area)

    def test_a_program_tracks_colors_and_finds_the_lamp(self) -> None:
        body = """camera_open_at_res(LOW_RES); camera_update();
            printf("seen %d %d %d\\n", get_object_count(2), get_object_center_x(2, 0), get_object_center_y(2, 0));
            camera_close(); msleep(200); int dark = analog(2); wait_for_light(2); msleep(100);
            printf("light %d %d\\n", dark, analog(2));"""
        run = self.run_main(body, "W", "--start", "2s", "--for", "20s", scenario=str(DEMOBOT))
        self.assertEqual(run.program["end"], "main returned", run.errors)
        lines = {words[0]: [int(word) for word in words[1:]] for words in map(str.split, run.text.splitlines())
                 if words[0] in ("seen", "light")}
        (count, x, y), (dark, bright) = lines["seen"], lines["light"]
        # The blue pom at (1.2, 0.25) m, from 0.25 m above the table, 25 degrees down: 0.25 m to the left of the axis at
        # a depth of 1.24 cos 25 + 0.225 sin 25 m, and at 0.225 cos 25 - 1.24 sin 25 m below it; f is 150.4 pixels.
        depth = 1.24 * math.cos(math.radians(25)) + 0.2246 * math.sin(math.radians(25))
        above = 1.24 * math.sin(math.radians(25)) - 0.2246 * math.cos(math.radians(25))
        self.assertEqual(count, 1)
        self.assertAlmostEqual(x, 80.0 - 150.4 * 0.25 / depth, delta=1.5)
        self.assertAlmostEqual(y, 60.0 - 150.4 * above / depth, delta=1.5)
        # The light of the room, through the filter of the converter; the lamp, 0.5 m away.
        self.assertAlmostEqual(dark, 3645, delta=12)
        self.assertLess(bright, 20)

    def test_the_images_of_a_camera_can_be_rendered_from_a_recording(self) -> None:
        file, recording = self.path / "wait.c", self.path / "run.rec"
        file.write_text("int main() { camera_open(); msleep(200); return 0; }")
        run = self.launch(file, "--era", "W", "--scenario", DEMOBOT, "--record", recording)
        self.assertEqual(run.code, 0, run.errors)
        render = [os.environ["LOCKSTEP"], "render", "--replay", str(recording), "--sensor"]
        images = []
        for name in ("one.png", "two.png"):
            done = subprocess.run([*render, "demobot/camera", "--at", "150ms", "-o", str(self.path / name)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 image of 160x120", done.stdout)
            images.append((self.path / name).read_bytes())
        self.assertEqual(images[0], images[1])
        wrong = subprocess.run([*render, "demobot/camra", "--at", "150ms", "-o", str(self.path / "no.png")],
                               capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown camera 'demobot/camra'; did you mean 'demobot/camera'?", wrong.stderr)

    def test_the_create_drives_straight_and_over_the_line(self) -> None:
        rows, result = self.drive_create(2.0, 0.3)
        last = rows[-1]
        # It reaches its speed within some hundredths of a second; slip and friction cost less than 2 %.
        self.assertAlmostEqual(self.value(last, "create/pose/x"), 0.6, delta=0.02)
        self.assertAlmostEqual(self.value(last, "create/pose/y"), 0.0, delta=0.005)
        travelled = 0.036 * self.value(last, "create/create2_left_wheel/angle")
        self.assertAlmostEqual(travelled, self.value(last, "create/pose/x"), delta=0.01)
        # The front cliff sensors, 150 mm ahead, see the start line from 0.325 to 0.375 m, and the floor at 27 mm.
        for row in rows[200::50]:
            front = self.value(row, "create/pose/x") + 0.15
            level = self.value(row, "create/create2_cliff1/level")
            if 0.33 < front < 0.37:
                self.assertLess(level, 0.3)
            elif not 0.315 < front < 0.385:
                self.assertGreater(level, 0.6)
            self.assertAlmostEqual(self.value(row, "create/create2_edge1/distance"), 0.027, delta=0.003)
        # The arm is at 0 of -35 to 95 degrees, and sags under its weight; nothing is in the claw at the start.
        self.assertAlmostEqual(self.value(rows[0], "create/analog3/level"), 35.0 / 130.0, delta=0.001)
        self.assertEqual(self.value(rows[0], "create/digital0/broken"), 0.0)
        self.assertEqual(result["scores"], {"score": 0.0})

    def test_the_create_turns_by_its_track(self) -> None:
        rows, _ = self.drive_create(2.0, 0.1, -1.0)
        # Both wheels turn against each other: 2 v / track = 0.851 rad/s, clockwise.
        last = rows[-1]
        angle = 2.0 * math.atan2(self.value(last, "create/pose/qz"), self.value(last, "create/pose/qw"))
        self.assertAlmostEqual(angle, -2.0 * 0.2 / 0.235, delta=0.05)

    def test_the_create_bumps_into_the_border_with_both_switches(self) -> None:
        # Without the cubes in its way, whose weight does not close a switch.
        aside = [f"//object[@name='cube{i}']/@position={x} 0.5 0.0258" for i, x in ((1, 0.2), (2, 0.4))]
        rows, _ = self.drive_create(4.8, 0.45, 1.0, "--set", aside[0], "--set", aside[1])
        first = next(row for row in rows if self.value(row, "create/create2_left_bump/touch") > 0.5)
        # The corners of the first plates of the bumper: 0.177 m at 8 degrees, and half of 69 mm along the plate.
        front = 0.177 * math.cos(math.radians(8.0)) + 0.0345 * math.sin(math.radians(8.0))
        self.assertAlmostEqual(self.value(first, "create/pose/x"), 2.13 - 0.01065 - front, delta=0.005)
        self.assertTrue(any(self.value(row, "create/create2_right_bump/touch") > 0.5 for row in rows))


if __name__ == "__main__":
    unittest.main()
