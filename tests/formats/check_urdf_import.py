#!/usr/bin/env python3
"""Imported URDF robots can be trusted: they run as imported, stand where they can, and every odd value of the file is
repaired or omitted with a line in the report that has its place."""

import csv
import json
import math
import os
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests"))
from check_urdf import MATERIAL, OWN, UrdfTest, box_stl  # noqa: E402
from command import lockstep  # noqa: E402

GRAVITY = 9.81
# Largest angle by which a servo of an imported robot gives way, rad.
MAX_SAG = 0.03


def inertial(mass: float, moments: str = "1e-3 1e-3 1e-3", center: str = "0 0 0") -> str:
    xx, yy, zz = moments.split()
    return (f'<inertial><origin xyz="{center}"/><mass value="{mass}"/>'
            f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial>')


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "continuous") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(inside: str) -> str:
    return f'<robot name="r">\n{inside}\n</robot>\n'


def pendulum(inside: str = "", rest: str = "") -> str:
    """A mass of 0.1 kg that hangs 0.1 m below a hinge about y."""
    return robot('<link name="base"/>\n<link name="rod">' + inertial(0.1, "1e-5 1e-5 1e-5", "0 0 -0.1") + "</link>\n" +
                 joint("swing", "base", "rod", '<axis xyz="0 1 0"/>' + inside) + rest)


class ImportTest(UrdfTest):
    def bring(self, text, *arguments: object, name: str = "r.urdf") -> tuple:
        """The scenario and the report of a robot given as text."""
        file = self.path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        scenario, report = self.import_robot(file, *arguments)
        return scenario.read_text(encoding="utf-8"), report

    def run_for(self, seconds: float, *arguments: object) -> dict:
        result = json.loads(self.do("run", self.path / "r.xml", "--for", f"{seconds}s", "--json", *arguments))
        self.assertEqual(result["status"], "ok", result)
        return result

    def last_row(self, seconds: float) -> dict:
        self.run_for(seconds, "--log", self.path / "log.csv")
        with open(self.path / "log.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return {name.split(" ")[0]: float(value) for name, value in rows[-1].items()}

    def element(self, scenario: str, pattern: str) -> dict:
        """The attributes of the first element whose tag matches."""
        found = re.search(f"<{pattern}[^>]*>", scenario)
        self.assertTrue(found, f"{pattern}\n{scenario}")
        return dict(re.findall(r'(\w+)="([^"]*)"', found[0]))


class Stability(ImportTest):
    def check_run(self, file: Path, *arguments: object) -> None:
        scenario = self.path / (file.stem + ".xml")
        self.do("import", file, "-o", scenario, *arguments)
        result = json.loads(self.do("run", scenario, "--for", "5s", "--json"))
        self.assertEqual(result["status"], "ok", f"{file.stem}: {result}")
        energy = result["energy"]
        scale = abs(energy["potential"]) + energy["kinetic"] + 1e-3
        self.assertLess(energy["change"], sum(energy["work"].values()) + 0.01 * scale, f"{file.stem}: {energy}")

    def test_every_robot_runs_as_imported_and_gains_no_more_energy_than_its_drives_supply(self) -> None:
        files = sorted(OWN.glob("*.urdf"))
        if MATERIAL.is_dir():
            files += [next(each.rglob("*.urdf")) for each in sorted(MATERIAL.iterdir()) if "xacro_only" not in each.name]
        for file in files:
            for base in ("fixed", "free"):
                with self.subTest(f"{file.stem} {base}"):
                    self.check_run(file, "--base", base, *(["--ground"] if base == "free" else []))

    def test_an_overdamped_pendulum_falls_as_its_closed_form_with_every_integrator(self) -> None:
        scenario, _ = self.bring(pendulum('<dynamics damping="1"/>'), "--drive", "torque")
        for integrator in ("euler", "implicit", "rk4"):
            changed = scenario.replace("<robot", f'<engine integrator="{integrator}"/><robot').replace("<joint ", '<joint initial="1" ')
            (self.path / "r.xml").write_text(changed, encoding="utf-8")
            result = self.run_for(5)
            # d q' = -m g l sin q, inertia is negligible: tan(q/2) decays exponentially.
            angle = 2 * math.atan(math.tan(0.5) * math.exp(-0.1 * GRAVITY * 0.1 * 5))
            self.assertAlmostEqual(result["energy"]["potential"], -0.1 * GRAVITY * 0.1 * math.cos(angle), delta=2e-5)
            self.assertLess(result["energy"]["change"], 0.0)

    def test_the_integrator_follows_from_damping_and_drives(self) -> None:
        for text, drive, integrator in ((pendulum(), "torque", "rk4"), (pendulum('<dynamics damping="1"/>'), "torque", "euler"),
                                        (pendulum(), "servo", "euler")):
            _, report = self.bring(text, "--drive", drive)
            self.assertIn(f"the integrator is {integrator}", report)

    def test_check_warns_about_drives_that_are_too_strong_for_their_inertia(self) -> None:
        self.bring(pendulum(), "--drive", "servo")
        inertia = 1e-5 + 0.1 * 0.1**2
        for damping, found in ((1.0 * inertia / 1e-3, False), (1.7 * inertia / 1e-3, True), (3 * inertia / 1e-3, True)):
            done = lockstep("check", self.path / "r.xml", "--set", "//servo/@stiffness=0", "--set", f"//servo/@damping={damping}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("actuator 'swing_drive': its damping is" in done.stderr, found, done.stderr)
        self.assertIn("too large to be stable for the inertia it moves at the start, 0.00101 kg m^2", done.stderr)
        self.assertIn("use a smaller step or at most 1.01", done.stderr)


class Drives(ImportTest):
    def test_a_servo_holds_an_arm_and_gives_way_by_its_stiffness(self) -> None:
        text = robot('<link name="base"/><link name="arm">' + inertial(2, "0.01 0.05 0.05", "0.4 0 0") + "</link>" +
                     joint("lift", "base", "arm", '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/>', "revolute"))
        scenario, report = self.bring(text)
        self.assertIn("1 of 1 joints have a servo that holds their position", report)
        servo = self.element(scenario, "servo ")
        self.assertEqual((servo["max_effort"], servo["max_speed"]), ("50", "3"))
        k, inertia = float(servo["stiffness"]), 0.05 + 2 * 0.4**2
        self.assertAlmostEqual(float(servo["damping"]) / (2 * math.sqrt(k * inertia)), 1.0, delta=0.01)
        sag = 2 * GRAVITY * 0.4 / k
        self.assertLess(sag, 1.01 * MAX_SAG)
        self.assertAlmostEqual(self.last_row(3)["r/lift/angle"], sag, delta=0.01 * sag)

    def test_a_robot_keeps_standing_and_collapses_without_drives(self) -> None:
        arguments = ("--base", "free", "--ground", "--key", "crouch")
        scenario, report = self.import_robot(OWN / "walker.urdf", *arguments)
        # Legs of 0.2 m and 0.2 m at 0.6 rad to either side, feet of 0.02 m.
        height = 2 * 0.2 * math.cos(0.6) + 0.02
        position = self.element(scenario.read_text(encoding="utf-8"), "robot ")["position"].split()
        self.assertAlmostEqual(float(position[2]), height, delta=1e-9)
        self.assertIn("its lowest point touches the ground", report)
        for drive, is_up in (("servo", True), ("none", False)):
            self.import_robot(OWN / "walker.urdf", *arguments, "--drive", drive)
            energy = json.loads(self.do("run", scenario, "--for", "5s", "--json"))["energy"]
            lowered = -energy["change"] / (10.4 * GRAVITY)
            self.assertEqual(lowered < 0.005, is_up, f"{drive}: {lowered} m")

    def test_interfaces_of_the_file_decide_the_kind_of_drive(self) -> None:
        links = '<link name="base"/>' + "".join(f'<link name="l{i}">{inertial(1)}</link>' for i in range(6))
        joints = "".join(joint(f"j{i}", "base", f"l{i}", '<limit effort="7" velocity="2"/>') for i in range(6))
        interfaces = (
            '<transmission name="a"><type>transmission_interface/SimpleTransmission</type><joint name="j0">'
            "<hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint><actuator name='m'/></transmission>"
            '<transmission name="b"><joint name="j1"/><actuator name="m"><hardwareInterface>EffortJointInterface</hardwareInterface>'
            "</actuator></transmission>"
            '<ros2_control name="c" type="system"><joint name="j2"><command_interface name="velocity"/><state_interface name="position">'
            '<param name="initial_value">0.4</param></state_interface></joint><joint name="j3"><command_interface name="effort"/>'
            '<command_interface name="position"/></joint><joint name="j4"><state_interface name="position"/></joint></ros2_control>')
        scenario, report = self.bring(robot(links + joints + interfaces))
        for kind, number in (("servo", 0), ("torque", 1), ("speed_servo", 2), ("servo", 3)):
            self.element(scenario, f'{kind} name="j{number}_drive"')
        self.assertNotIn('"j4_drive"', scenario)
        self.assertNotIn('"j5_drive"', scenario)
        self.assertEqual(self.element(scenario, 'speed_servo name="j2_drive"')["max_speed"], "2")
        self.assertEqual(self.element(scenario, 'torque name="j1_drive"')["limit"], "7")
        self.assertEqual(self.element(scenario, 'joint name="j2"')["initial"], "0.4")
        self.assertIn("1 joints have no <transmission> or <ros2_control>, as others have: they have no drive", report)
        self.assertIn("velocity limits of 1 joints: their actuators control torque or force", report)
        self.run_for(1)

    def test_the_option_decides_for_every_joint(self) -> None:
        for drive, element in (("servo", "servo "), ("speed", "speed_servo "), ("torque", "torque "), ("none", None)):
            scenario, _ = self.bring(pendulum(), "--drive", drive)
            if element is None:
                self.assertNotIn("<actuators>", scenario)
            else:
                self.element(scenario, element)
        done = lockstep("import", self.path / "r.urdf", "-o", self.path / "r.xml", "--drive", "magic")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--drive: error: 'magic' is unknown; expected 'servo', 'speed', 'torque' or 'none'", done.stderr)

    def test_an_effort_of_zero_omits_the_drive_and_infinite_limits_are_omitted(self) -> None:
        scenario, report = self.bring(pendulum('<limit effort="0" velocity="0"/>'))
        self.assertNotIn("swing_drive", scenario)
        self.assertIn("r.urdf:4:1: joint 'swing' has an effort of 0: it has no drive", report)
        self.assertIn("joint 'swing' has a velocity limit of 0; it is ignored", report)
        scenario, _ = self.bring(pendulum('<limit effort="inf" velocity="1e16"/>'))
        self.assertNotIn("max_", scenario)


class Repairs(ImportTest):
    def test_thin_plates_and_rods_are_imported(self) -> None:
        for number, moments in enumerate(("0.333333 0.333333 0.666667", "0.1 0.2 0.300001", "0 0.01 0.01")):
            text = robot('<link name="base"/><link name="plate">' + inertial(1, moments) + "</link>" + joint("j", "base", "plate"))
            _, report = self.bring(text)
            self.assertEqual("all moments are increased" in report, number == 2, report)
            self.run_for(0.1)

    def test_flat_collision_meshes_are_thin_plates(self) -> None:
        # One side of the cube: two triangles in a plane.
        data = box_stl()
        (self.path / "flat.stl").write_bytes(data[:80] + (2).to_bytes(4, "little") + data[84:84 + 100])
        _, report = self.bring(robot('<link name="a">' + inertial(1) + '\n<collision><geometry><mesh filename="flat.stl"/></geometry></collision></link>'),
                               "--base", "free", "--ground")
        self.assertIn("r.urdf:3:1: link 'a': its mesh is flat and collides as a thin plate", report)
        self.run_for(0.5)

    def test_one_odd_value_does_not_reject_the_robot(self) -> None:
        body = '<link name="base"/>\n<link name="a">' + inertial(1) + "</link>\n"
        for inside, kind, line in (
                ('<limit lower="-1e16" upper="1e16" effort="1" velocity="1"/>', "revolute", "r.urdf:4:71: joint 'j' has no limits: -inf to inf"),
                ('<limit lower="0" upper="inf" effort="1" velocity="1"/>', "prismatic", "joint 'j' has a limit on one side: 0 to inf"),
                ('<limit lower="x" upper="1" effort="1" velocity="1"/>', "revolute", "<limit>: lower 'x' is not a number; it is ignored"),
                ('<origin xyz="0 nan 0"/>', "continuous", "r.urdf:4:81: <origin>: xyz nan is out of range; expected -1e9 to 1e9; it is ignored"),
                ('<origin xyz="0 0"/>', "continuous", "<origin>: xyz has 2 numbers; expected 3; it is ignored"),
                ('<axis xyz="0 0 0"/>', "continuous", "joint 'j': its axis has no length; 1 0 0 is used"),
                ('<dynamics damping="1e999"/>', "continuous", "<dynamics>: damping 1e999 is out of range"),
                ('<mimic joint="x"/>', "continuous", "joint 'j' mimics 'x', which does not exist; its <mimic> is ignored")):
            _, report = self.bring(robot(body + joint("j", "base", "a", inside, kind)))
            self.assertIn(line, report)
            self.run_for(0.05)

    def test_a_mesh_outside_the_folder_is_omitted(self) -> None:
        inside = self.path / "inside"
        inside.mkdir()
        file = inside / "r.urdf"
        file.write_text(robot('<link name="a">\n<visual><geometry><mesh filename="../secret.stl"/></geometry></visual></link>'), encoding="utf-8")
        report = self.do("import", file, "-o", self.path / "out.xml")
        self.assertRegex(report, r"r.urdf:3:1: link 'a': its mesh is omitted: '../secret.stl' is outside .*; allow a larger one with --root")

    def test_a_long_path_is_shown_with_its_file_name_and_a_hint_to_the_package(self) -> None:
        uri = "package://far_away/" + "folder/" * 30 + "part.stl"
        _, report = self.bring(robot(f'<link name="a"><visual><geometry><mesh filename="{uri}"/></geometry></visual></link>'))
        self.assertRegex(report, "'….*/part.stl' does not exist; give the folder of its package with --package far_away=FOLDER")

    def test_changed_names_massless_links_and_mimics_of_fixed_joints_are_reported(self) -> None:
        box = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
        scenario, report = self.bring(robot('<link name="base"/><link name="bras gauche é">' + inertial(1) + '</link><link name="腕">' + box +
                                            "</link>" + joint("j", "base", "bras gauche é") +
                                            joint("k", "bras gauche é", "腕", '<mimic joint="j"/>', "fixed")))
        for line in ("link 'bras gauche é' is named 'bras_gauche_e'", "link '腕' is named 'u8155'",
                     "link '腕' is fixed to another and has no mass in the file: it weighs nothing",
                     "joint 'k' is fixed: its <mimic> is ignored"):
            self.assertIn(line, report)
        self.element(scenario, 'link name="u8155"')

    def test_repeated_lines_are_reported_once_with_their_count(self) -> None:
        links = "".join(f'<link name="l{i}"><visual><geometry><box size="1 1 0"/></geometry></visual></link>\n' for i in range(20))
        joints = "".join(joint(f"j{i}", f"l{i}", f"l{i + 1}", kind="fixed") for i in range(19))
        _, report = self.bring(robot(links + joints))
        self.assertEqual(report.count("has no size; it is omitted"), 1)
        self.assertIn("r.urdf:2:35: a <box> of link 'l0' has no size; it is omitted (and 19 more such lines: 'l1', 'l2', ", report)

    def test_other_spellings_of_xml_are_read(self) -> None:
        text = pendulum('<origin xyz="0, 0,1"/>')
        for data, line in (("\n\n<?xml version='1.0'?>\n" + text, "r.urdf:3:1: the XML declaration is not at the beginning of the file"),
                           ("<!DOCTYPE robot [<!ENTITY e 'x'>]>" + text, "r.urdf:1:1: the DOCTYPE is ignored; its entities are not expanded"),
                           (("<?xml version='1.0' encoding='ISO-8859-1'?><!-- é -->" + text).encode("latin-1"),
                            "r.urdf:1:49: is not UTF-8; the file is read as Latin-1")):
            scenario, report = self.bring(data)
            self.assertIn(line, report)
            self.assertIn("<origin>: xyz '0, 0,1' has commas, which are read as spaces", report)
            self.assertEqual(self.element(scenario, 'link name="rod"')["position"], "0 0 1")
        (self.path / "r.urdf").write_text("<!DOCTYPE x [<!ENTITY e 'x'>]>" + robot('<link name="&e;"/>'), encoding="utf-8")
        self.assertIn("error", self.rejection(self.path / "r.urdf"))


class Meshes(ImportTest):
    def test_meshes_are_found_by_the_environment_and_by_their_name(self) -> None:
        packages = self.path / "ws"
        (packages / "arm_parts" / "meshes").mkdir(parents=True)
        (packages / "arm_parts" / "meshes" / "part.stl").write_bytes(box_stl())
        home = self.path / "home"
        (home / "other" / "Meshes").mkdir(parents=True)
        (home / "other" / "Meshes" / "Hand.STL").write_bytes(box_stl())
        file = home / "r.urdf"

        def found(uri: str, *arguments: object) -> str:
            file.write_text(robot(f'<link name="a"><visual><geometry><mesh filename="{uri}"/></geometry></visual></link>'), encoding="utf-8")
            return self.do("import", file, "-o", self.path / "out.xml", *arguments)

        uri = "package://arm_parts/meshes/part.stl"
        self.assertIn("its mesh is omitted", found(uri))
        self.assertNotIn("omitted", found(uri, "--package", f"arm_parts={packages / 'arm_parts'}"))
        os.environ["ROS_PACKAGE_PATH"] = f"/nowhere:{packages}"
        try:
            self.assertNotIn("omitted", found(uri))
        finally:
            del os.environ["ROS_PACKAGE_PATH"]
        self.assertIn("r.urdf:2:16: 'package://lost/meshes/hand.stl' does not exist: 'other/Meshes/Hand.STL', found by its file name, is used",
                      found("package://lost/meshes/hand.stl"))


class Semantics(ImportTest):
    SRDF = ('<robot name="r"><group_state name="up" group="g"><joint name="j0" value="0.5"/><joint name="j1" value="9"/></group_state>'
            '<disable_collisions link1="l0" link2="l2"/><disable_collisions link1="l0" link2="ghost"/><passive_joint name="j1"/></robot>')

    def chain(self) -> str:
        ball = '<collision><geometry><sphere radius="0.04"/></geometry></collision>'
        links = "".join(f'<link name="l{i}">{inertial(1)}{ball if i != 3 else ball.replace("0.04", "0.15")}</link>' for i in range(4))
        joints = "".join(joint(f"j{i}", f"l{i}", f"l{i + 1}",
                               '<origin xyz="0.1 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="1"/>', "revolute") for i in range(3))
        return robot(links + joints)

    def test_pairs_poses_and_passive_joints_of_an_srdf(self) -> None:
        (self.path / "r.srdf").write_text(self.SRDF, encoding="utf-8")
        scenario, report = self.bring(self.chain(), "--key", "up")
        self.assertNotIn("self_collide", scenario)
        self.assertIn('<exclude a="l0" b="l2"/>', scenario)
        self.assertIn("the SRDF excludes collisions of 'ghost', which is not a link", report)
        # The last ball reaches over its neighbour to the next one.
        self.assertIn("links 'l1' and 'l3' overlap at the start: they do not collide", report)
        self.assertEqual(self.element(scenario, 'joint name="j0"')["initial"], "0.5")
        self.assertEqual(self.element(scenario, 'joint name="j1"')["initial"], "1")
        self.assertIn("joint 'j1' starts at 1, its limit, instead of 9", report)
        self.assertNotIn("j1_drive", scenario)
        self.run_for(1)
        done = lockstep("import", self.path / "r.urdf", "-o", self.path / "r.xml", "--key", "down")
        self.assertIn("--key: error: there is no pose 'down'; expected 'up'", done.stderr)

    def test_an_srdf_given_by_the_user_precedes_and_must_exist(self) -> None:
        (self.path / "other.srdf").write_text(self.SRDF.replace('"up"', '"high"'), encoding="utf-8")
        scenario, _ = self.bring(self.chain(), "--srdf", self.path / "other.srdf", "--key", "high")
        self.assertIn('initial="0.5"', scenario)
        done = lockstep("import", self.path / "r.urdf", "-o", self.path / "r.xml", "--srdf", self.path / "none.srdf")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.srdf", done.stderr)

    def test_spherical_joints_and_contact_values_of_bullet(self) -> None:
        contact = ('<contact><lateral_friction value="0.4"/><rolling_friction value="0.01"/><spinning_friction value="0.02"/>'
                   '<restitution value="0.3"/><stiffness value="30000"/><damping value="1000"/></contact>')
        scenario, report = self.bring(robot('<link name="base"/><link name="ball">' + contact + inertial(1, center="0 0 -0.2") +
                                            '<collision><geometry><sphere radius="0.1"/></geometry></collision></link>' +
                                            joint("j", "base", "ball", kind="spherical")))
        self.assertEqual(self.element(scenario, "joint ")["type"], "ball")
        material = self.element(scenario, "material ")
        for name, value in (("friction", 0.4), ("rolling_friction", 0.01), ("torsional_friction", 0.02), ("restitution", 0.3), ("stiffness", 30000)):
            self.assertEqual(float(material[name]), value)
        self.assertEqual(self.element(scenario, "sphere ")["material"], material["name"])
        self.assertIn("joint 'j' is spherical: a ball joint, without sensor and drive", report)
        self.assertIn("<damping> of <contact>: ignored", report)
        self.run_for(1)

    def test_the_ground_is_below_a_fixed_robot(self) -> None:
        scenario, report = self.bring(robot('<link name="a"><collision><origin rpy="0 0.7853981634 0"/><geometry><box size="0.2 0.2 0.2"/></geometry>'
                                            "</collision></link>"), "--ground")
        self.assertAlmostEqual(float(self.element(scenario, "ground ")["height"]), -0.1 * math.sqrt(2), delta=1e-9)
        self.assertIn("the fixed robot 'r' reaches down to it", report)


if __name__ == "__main__":
    # The tests of check_urdf run on their own.
    names = ("Stability", "Drives", "Repairs", "Meshes", "Semantics")
    loader = unittest.TestLoader()
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(globals()[name]) for name in names)
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
