#!/usr/bin/env python3
"""Imported URDF robots have the poses defined by URDF, conserve energy, and report assumptions; invalid files are rejected
with the right error."""

import json
import os
import random
import re
import sys
import unittest
from pathlib import Path

import urdf_kinematics

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from command import CommandTest, lockstep  # noqa: E402

OWN = Path(__file__).resolve().parent / "urdf"
MATERIAL = Path(os.environ.get("LOCKSTEP_MATERIAL", ROOT / ".." / "shared" / "material")) / "urdf"

VECTORS = 20
MICROMETRE = 1e-6
# Maximum error of a rotation matrix entry: a micrometre at a distance of one metre.
TURN = 1e-6


class UrdfTest(CommandTest):
    def import_robot(self, file: Path, *arguments: object) -> tuple:
        scenario = self.path / (file.stem + ".xml")
        return scenario, self.do("import", file, "-o", scenario, *arguments)

    def rejection(self, file: Path) -> str:
        done = lockstep("import", file, "-o", self.path / "out.xml")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertFalse((self.path / "out.xml").exists())
        return done.stderr

    def check_poses(self, file: Path, scenario: Path) -> None:
        robot = urdf_kinematics.Robot(file)
        generator = random.Random(file.stem)
        name = re.search(r'<robot name="([^"]+)"', scenario.read_text(encoding="utf-8"))[1]
        for _ in range(VECTORS):
            values = robot.draw(generator)
            joints = [argument for joint, value in values.items() for argument in ("--joint", f"{name}/{joint}={value!r}")]
            found = json.loads(self.do("poses", scenario, "--json", *joints))
            for link, expected in robot.poses(values).items():
                pose = found[f"{name}/{link}"]
                for i in range(3):
                    self.assertAlmostEqual(pose["position"][i], expected[i][3], delta=MICROMETRE, msg=f"{file.stem}: {link}")
                    for j in range(3):
                        self.assertAlmostEqual(urdf_kinematics.matrix_of(pose["orientation"])[i][j], expected[i][j], delta=TURN,
                                               msg=f"{file.stem}: {link}")

    def check_energy(self, scenario: Path) -> None:
        """A passive robot never gains energy, except by limits and integration error."""
        energies = []
        for length in ("2s", "10s"):
            result = json.loads(self.do("run", scenario, "--for", length, "--json"))
            self.assertEqual(result["status"], "ok", f"{scenario.stem}: {result}")
            energies.append(result["energy"])
        # Energy scale: that of turning the robot upside down.
        scale = max(abs(energy["potential"]) + energy["kinetic"] for energy in energies) + 1e-3
        for energy in energies:
            self.assertLess(energy["change"], 0.02 * scale, f"{scenario.stem}: {energy}")


class Own(UrdfTest):
    def test_every_robot_has_the_poses_of_urdf_and_conserves_energy(self) -> None:
        files = sorted(OWN.glob("*.urdf"))
        self.assertGreater(len(files), 3)
        for file in files:
            with self.subTest(file.stem):
                scenario, _ = self.import_robot(file, "--drive", "none")
                self.check_poses(file, scenario)
                self.check_energy(scenario)

    def test_the_report_lists_what_was_assumed_lost_and_looks_wrong(self) -> None:
        _, report = self.import_robot(OWN / "odd.urdf")
        for title, lines in (
                ("read", ("a robot 'odd' of 6 links, 4 joints that move", "1 joints that mimic another")),
                ("assumed", ("joint 'swing' has no limits", "link 'rod' has no mass: 0.3 kg",
                             "'$(optenv ODD_OFFSET 0 0 0.25)' is replaced by its default: the variable is not set",
                             "the robot is fixed to the world", "joint 'lift' starts at 0.1")),
                ("lost", ("<gazebo> (2 times)", "link 'rod': its mesh is omitted: 'missing.stl' does not exist",)),
                ("looks wrong", ("link 'plate'", "violates", "<axis> has an attribute 'xzy'"))):
            part = report[report.index(title + "\n"):]
            for line in lines:
                self.assertIn(line, part)

    def test_meshes_are_found_by_package_and_written_beside_the_scenario(self) -> None:
        package = self.path / "my_robot"
        (package / "urdf").mkdir(parents=True)
        (package / "meshes").mkdir()
        (package / "meshes" / "part.STL").write_bytes(box_stl())
        for name, uri in (("a", "package://my_robot/meshes/part.STL"), ("b", "../meshes/part.STL"),
                          ("c", f"file://{package}/meshes/part.STL"), ("d", "$(find my_robot)/meshes/part.STL")):
            file = package / "urdf" / f"{name}.urdf"
            file.write_text(f'<robot name="r"><link name="base"><visual><geometry><mesh filename="{uri}" scale="2 -1 1"/>'
                            "</geometry></visual></link></robot>", encoding="utf-8")
            scenario, report = self.import_robot(file)
            self.assertNotIn("omitted", report)
            self.assertTrue((self.path / f"{name}-meshes" / "part.stl").exists())
            self.do("check", scenario)

    def test_files_outside_the_folder_are_never_opened(self) -> None:
        (self.path / "secret.stl").write_bytes(box_stl())
        inside = self.path / "inside"
        inside.mkdir()
        (inside / "link.stl").symlink_to(self.path / "secret.stl")
        for uri in ("../secret.stl", f"file://{self.path}/secret.stl", f"{self.path}/secret.stl", "package://x/../../secret.stl",
                    "package://../secret.stl", f"package://{self.path.name}/secret.stl", "http://x/secret.stl"):
            file = inside / "r.urdf"
            file.write_text(f'<robot name="r"><link name="a"><visual><geometry><mesh filename="{uri}"/></geometry></visual></link>'
                            "</robot>", encoding="utf-8")
            done = lockstep("import", file, "-o", self.path / "out.xml")
            self.assertFalse((self.path / "out-meshes").exists(), uri)
            if done.returncode == 0:
                self.assertIn("its mesh is omitted", done.stdout)
            else:
                self.assertIn("is outside", done.stderr)
        file.write_text('<robot name="r"><link name="a"><visual><geometry><mesh filename="link.stl"/></geometry></visual></link></robot>',
                        encoding="utf-8")
        self.assertIn("is a link that leaves the folder", self.do("import", file, "-o", self.path / "out.xml"))

    def test_invalid_robots_are_rejected_with_their_place(self) -> None:
        cases = (
            ("<robot name='r'/>", "r.urdf:1:1: error: the robot has no <link>"),
            ("<robot name='r'>\n <link name='a'/>\n <joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
             "r.urdf:3:2: error: <joint> 'j': unknown type 'hinge'"),
            ("<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
             "r.urdf:2:1: error: joint 'j': unknown link 'b'"),
            ("<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
             "\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>", "error: the links form a cycle"),
            ("<robot name='r'><link name='a'/><link name='a'/></robot>", "there is another link 'a'"),
            ("<robot name='r'><link name='a'><visual><origin xyz='${x} 0 0'/><geometry><sphere radius='1'/></geometry></visual></link>"
             "</robot>", "has a substitution left in it; expand the file with xacro first"),
            ("<robot name='r'><xacro:include filename='x'/></robot>", "r.urdf:1:17: error: <xacro:include>: file 'x' does not exist"),
        )
        for text, error in cases:
            file = self.path / "r.urdf"
            file.write_text(text, encoding="utf-8")
            self.assertIn(error, self.rejection(file))

    def test_a_free_robot_falls_and_a_planar_joint_slides(self) -> None:
        file = self.path / "free.urdf"
        file.write_text("<robot name='r'><link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
                        encoding="utf-8")
        scenario, _ = self.import_robot(file, "--base", "free")
        result = json.loads(self.do("run", scenario, "--for", "1s", "--json"))
        self.assertAlmostEqual(result["energy"]["kinetic"], 0.5 * 2 * 9.81**2, delta=1e-6)


def box_stl() -> bytes:
    """A cube of 0.1 m."""
    import struct
    corners = [(x, y, z) for x in (0.0, 0.1) for y in (0.0, 0.1) for z in (0.0, 0.1)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    data = b"\0" * 80 + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<12fH", 0, 0, 0, *(number for corner in face for number in corners[corner]), 0)
    return data


@unittest.skipUnless(MATERIAL.is_dir(), "third-party test files are not available")
class Others(UrdfTest):
    def test_every_robot_has_the_poses_of_urdf_and_conserves_energy(self) -> None:
        for folder in sorted(each for each in MATERIAL.iterdir() if not each.name.endswith("_negative")):
            file = next(folder.rglob("*.urdf"))
            with self.subTest(folder.name):
                scenario, report = self.import_robot(file, "--drive", "none")
                self.assertNotIn("does not exist", report)
                self.check_poses(file, scenario)
                self.check_energy(scenario)

    def test_invalid_files_are_rejected_with_the_right_error(self) -> None:
        file = next((MATERIAL / "ur3_xacro_only_negative").rglob("*.urdf"))
        self.assertIn("the robot has no <link>; the file has only leftovers of xacro", self.rejection(file))


if __name__ == "__main__":
    unittest.main()
