#!/usr/bin/env python3
"""Damaged and hostile URDF, xacro, SDF and MJCF files: each is imported or rejected with an error, and never crashes, hangs, takes much
memory or opens a file outside its folder."""

import os
import random
import re
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

LOCKSTEP = os.environ["LOCKSTEP"]
SANITIZED = os.environ.get("LOCKSTEP_SANITIZE", "") not in ("", "OFF", "0")
HERE = Path(__file__).resolve().parent
MAX_SECONDS = 60
MAX_BYTES = 2 << 30
DAMAGED_PER_FILE = 20

MJCF = """<mujoco model="m"><compiler angle="radian" autolimits="true"/><default><geom size="0.1"/><default class="c"><joint damping="1"/></default></default>
<asset><mesh name="part" file="part.stl" scale="0.1 0.1 0.1"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom type="plane" size="0 0 1"/><body name="a" pos="0 0 1" childclass="c"><joint name="j" axis="0 1 0" range="-1 1"/><geom type="mesh" mesh="part"/>
<body name="b" pos="0.3 0 0" euler="0.1 0 0"><joint name="k" type="slide" axis="1 0 0"/><geom material="red"/><site name="s"/></body></body></worldbody>
<equality><joint joint1="k" joint2="j" polycoef="0 0.1"/></equality><actuator><motor joint="j" gear="2"/></actuator>
<sensor><gyro site="s"/></sensor><keyframe><key name="home" qpos="0.1 0.01"/></keyframe></mujoco>
"""
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'


def link(inside: str) -> str:
    return f'<robot name="r"><link name="a">{inside}</link></robot>'


def mesh(uri: str) -> str:
    return link(f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>')


def bodies(inside: str) -> str:
    return f'<mujoco><worldbody><body name="a"><joint name="j"/><geom size="0.1"/></body></worldbody>{inside}</mujoco>'


HOSTILE_URDF = {
    "empty": "",
    "only spaces": " \n ",
    "no end": "<robot",
    "entities": ENTITIES + '<robot name="&c;"><link name="a"/></robot>',
    "external entity": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot name="&e;"><link name="a"/></robot>',
    "deep": "<robot name='r'>" + "<a>" * 5000 + "</a>" * 5000 + "</robot>",
    "many attributes": "<robot " + " ".join(f"a{i}='1'" for i in range(5000)) + "/>",
    "escape": mesh("../../../../etc/passwd"),
    "absolute": mesh("/etc/passwd"),
    "file": mesh("file:///etc/passwd"),
    "package escape": mesh("package://a/../../../../etc/passwd"),
    "package root": mesh("package://etc/passwd"),
    "other scheme": mesh("https://example.org/a.stl"),
    "empty mesh": mesh(""),
    "folder": mesh("."),
    "device": mesh("file:///dev/zero"),
    "own file": mesh("hostile.urdf"),
    "NaN": link('<inertial><mass value="nan"/></inertial>'),
    "infinite": link('<inertial><mass value="1e999"/></inertial>'),
    "negative mass": link('<inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'),
    "huge inertia": link('<inertial><mass value="1"/><inertia ixx="1e9" iyy="1" izz="-1e9"/></inertial>'),
    "flat box": link('<collision><geometry><box size="0 1 1"/></geometry></collision>'),
    "its own child": '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint></robot>',
    "its own mimic": '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
                     '<mimic joint="j"/></joint></robot>',
    "no axis": '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
               '<axis xyz="0 0 0"/></joint></robot>',
    "long chain": "<robot name='r'>" + "".join(f"<link name='l{i}'/>" for i in range(30000)) + "".join(
        f"<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{i + 1}'/></joint>" for i in range(29999)) + "</robot>",
    "src": '<robot name="r" src="/etc/passwd"><link name="a"/></robot>',
    "not UTF-8": b'<robot name="\xff\xfe"><link name="a"/></robot>',
    "zero bytes": b'<robot name="r">\0<link name="a"/></robot>',
    "long name": f'<robot name="{"x" * 100000}"><link name="{"y" * 100000}"/></robot>',
}
ARM = ('<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
       '<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint>{rest}</robot>')


def arm(inside: str = "", kind: str = "revolute", rest: str = "") -> str:
    return ARM.format(kind=kind, inside=inside, rest=rest)


HOSTILE_URDF |= {
    "limits": arm('<limit lower="-inf" upper="1e999" effort="-inf" velocity="nan"/>'),
    "tiny numbers": arm('<limit lower="-1e-320" upper="1e-320" effort="1e-320" velocity="1e-320"/><dynamics damping="1e9" friction="1e9"/>'),
    "huge inertia of a drive": arm().replace('value="1"', 'value="1e9"').replace('ixx="1"', 'ixx="1e9"'),
    "tiny inertia of a drive": arm().replace('value="1"', 'value="1e-9"').replace('="1" iyy="1" izz="1"', '="1e-18" iyy="1e-18" izz="1e-18"'),
    "mimic with a huge ratio": arm(rest='<link name="c"><inertial><mass value="1"/></inertial></link><joint name="k" type="continuous">'
                                        '<parent link="b"/><child link="c"/><mimic joint="j" multiplier="1e9" offset="-1e9"/></joint>'),
    "spherical with limits": arm('<limit lower="1" upper="-1"/><mimic joint="j"/>', "spherical"),
    "contact": link('<contact><lateral_friction value="-1"/><rolling_friction value="nan"/><restitution value="9"/><stiffness value="-5"/>'
                    '<x/></contact><collision><geometry><sphere radius="1"/></geometry></collision>'),
    "transmission": arm(rest='<transmission><joint/><joint name="x"><hardwareInterface/></joint><actuator/></transmission>'),
    "ros2_control": arm(rest='<ros2_control><joint name="j"><command_interface/><state_interface name="position"><param name="initial_value">'
                             "${x}</param><param name='initial_value'>nan</param></state_interface></joint></ros2_control>"),
    "many joints": "<robot name='r'><link name='l0'/>" + "".join(
        f"<link name='l{i}'><inertial><mass value='1'/></inertial></link><joint name='j{i}' type='continuous'><parent link='l{(i - 1) // 2}'/>"
        f"<child link='l{i}'/></joint>" for i in range(1, 150)) + "</robot>",
    "late declaration": "\n<!-- x --><?xml version='1.0'",
    "open DOCTYPE": "<!DOCTYPE x [<!ENTITY a 'b'" + link(""),
    "DOCTYPE in quotes": "<!DOCTYPE x SYSTEM \"a>b" + link(""),
    "DOCTYPE of a file": '<!DOCTYPE robot SYSTEM "file:///etc/passwd">' + link(""),
    "Latin-1 and zero": b"\xe9\0" + link("").encode(),
    "commas": link('<visual><origin xyz=",,,"/><geometry><box size="1,,1,1,1"/></geometry></visual>'),
    "names of other scripts": ('<robot name="\U0001F916">' + "".join(f'<link name="{chr(0x4e00 + i) * 60}"/>' for i in range(3)) + "</robot>"),
}
HOSTILE_SRDF = {
    "empty": "",
    "other root": "<x/>",
    "entities": ENTITIES + '<robot name="&c;"/>',
    "deep": "<robot>" + "<a>" * 5000 + "</a>" * 5000 + "</robot>",
    "pairs": '<robot><disable_collisions/><disable_collisions link1="a" link2="a"/><disable_collisions link1="a" link2="../b"/>'
             '<disable_collisions link1="a" link2="b"/><disable_collisions link1="b" link2="a"/></robot>',
    "many pairs": "<robot>" + '<disable_collisions link1="a" link2="b"/>' * 60000 + "</robot>",
    "states": '<robot><group_state><joint/></group_state><group_state name="home"><joint name="j" value="nan"/><joint name="j" value="1e999"/>'
              '<joint name="j" value="0 0 0 0 0 0 1"/><joint name="x" value="1"/></group_state></robot>',
    "passive": '<robot><passive_joint/><passive_joint name="j"/><virtual_joint type="floating"/></robot>',
    "not text": bytes(range(256)),
}


def xacro(inside: str) -> str:
    return f'<robot name="r" xmlns:xacro="x">{inside}<link name="a"/></robot>'


HOSTILE_XACRO = {
    "recursion": xacro('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>'),
    "nested recursion": xacro('<xacro:macro name="m"><a><xacro:m/></a></xacro:macro><xacro:m/>'),
    "recursion in a block": xacro('<xacro:macro name="m" params="*b"><xacro:m><c><xacro:insert_block name="b"/></c></xacro:m></xacro:macro><xacro:m><d/></xacro:m>'),
    "bomb": xacro('<xacro:macro name="m0"><b/></xacro:macro>' + "".join(
        f'<xacro:macro name="m{i}">' + f"<xacro:m{i - 1}/>" * 10 + "</xacro:macro>" for i in range(1, 12)) + "<xacro:m11/>"),
    "text bomb": xacro('<xacro:property name="p0" value="aaaaaaaaaa"/>' + "".join(
        f'<xacro:property name="p{i}" value="${{p{i - 1}}}${{p{i - 1}}}"/>' for i in range(1, 50)) + '<b c="${p49}"/>'),
    "list bomb": xacro('<xacro:property name="p0" value="${[1]}"/>' + "".join(
        f'<xacro:property name="p{i}" value="${{[p{i - 1}, p{i - 1}]}}"/>' for i in range(1, 50)) + '<b c="${p49 == p49}" d="${p49}"/>'),
    "block bomb": xacro('<xacro:property name="p0"><b/></xacro:property>' + "".join(
        f'<xacro:property name="p{i}">' + f'<xacro:insert_block name="p{i - 1}"/>' * 2 + "</xacro:property>" for i in range(1, 50)) + '<xacro:insert_block name="p49"/>'),
    "block of itself": xacro('<xacro:property name="p"><xacro:insert_block name="p"/></xacro:property><xacro:insert_block name="p"/>'),
    "property of itself": xacro('<xacro:property name="p" value="${p}"/><b c="${p}"/>'),
    "includes itself": xacro('<xacro:include filename="hostile.xacro"/>'),
    "include escape": xacro('<xacro:include filename="../../../../etc/passwd"/>'),
    "include package escape": xacro('<xacro:include filename="$(find a)/../../../../etc/passwd"/>'),
    "include device": xacro('<xacro:include filename="/dev/zero"/>'),
    "include folder": xacro('<xacro:include filename="."/>'),
    "yaml escape": xacro("<b c=\"${xacro.load_yaml('/etc/passwd')}\"/>"),
    "environment": xacro('<b c="$(env HOME)"/>'),
    "python": xacro("<b c=\"${__import__('os').system('id')}\"/>"),
    "members of python": xacro("<b c=\"${().__class__.__bases__[0].__subclasses__()}\"/>"),
    "huge number": xacro('<b c="${9 ** 9 ** 9 ** 9}"/>'),
    "huge text": xacro("<b c=\"${'a' * 10 ** 15}\"/>"),
    "huge list": xacro('<b c="${[[0] * 99999 for i in range(99999)]}"/>'),
    "long loop": xacro('<b c="${[[[1 for i in range(9999)] for j in range(9999)] for k in range(9999)]}"/>'),
    "deep expression": xacro('<b c="${' + "(" * 9000 + "1" + ")" * 9000 + '}"/>'),
    "long expression": xacro('<b c="${1' + "+1" * 9000 + '}"/>'),
    "deep brackets": xacro('<b c="' + "${" * 9000 + "1" + "}" * 9000 + '"/>'),
    "no end": xacro('<b c="${1"/>'),
    "only dollars": xacro('<b c="' + "$" * 100000 + '"/>'),
    "mass of nothing": xacro('<link name="b"><inertial><mass value="${1e308 * 10}"/></inertial></link>'),
}


def sdf(inside: str) -> str:
    return f'<sdf version="1.9"><model name="m"><link name="a"/>{inside}</model></sdf>'


HOSTILE_SDF = {
    "no model": '<sdf version="1.9"/>',
    "no version": '<sdf><model name="m"><link name="a"/></model></sdf>',
    "strange version": '<sdf version="x.y"><model name="m"><link name="a"/></model></sdf>',
    "includes itself": sdf("<include><uri>hostile.sdf</uri></include>"),
    "include escape": sdf("<include><uri>../../../../etc/passwd</uri></include>"),
    "include package escape": sdf("<include><uri>model://a/../../../../etc</uri></include>"),
    "include file": sdf("<include><uri>file:///etc/passwd</uri></include>"),
    "include nothing": sdf("<include/>"),
    "include folder": sdf("<include><uri>.</uri></include>"),
    "mesh escape": sdf("<link name='b'><visual name='v'><geometry><mesh><uri>file:///etc/passwd</uri></mesh></geometry></visual></link>"),
    "mesh nothing": sdf("<link name='b'><visual name='v'><geometry><mesh/></geometry></visual></link>"),
    "frames in a circle": sdf("<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>"),
    "frame of itself": sdf("<frame name='f' attached_to='f'/>"),
    "many frames": sdf("".join(f"<frame name='f{i}'><pose relative_to='f{i + 1}'/></frame>" for i in range(20000)) + "<frame name='f20000'/>"),
    "many links": sdf("".join(f"<link name='l{i}'/>" for i in range(20000))),
    "long chain": sdf("<link name='l0'/>" + "".join(
        f"<link name='l{i + 1}'/><joint name='j{i}' type='revolute'><parent>l{i}</parent><child>l{i + 1}</child></joint>" for i in range(3000))),
    "deep models": sdf("<model name='n'>" * 55 + "<link name='b'/>" + "</model>" * 55),
    "joints in a circle": sdf("<link name='b'/><joint name='j' type='ball'><parent>a</parent><child>b</child></joint>"
                              "<joint name='k' type='ball'><parent>b</parent><child>a</child></joint>"),
    "its own child": sdf("<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"),
    "world as child": sdf("<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>"),
    "its own mimic": sdf("<link name='b'/><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><mimic joint='j'/></axis></joint>"),
    "no axis": sdf("<link name='b'/><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 0</xyz></axis></joint>"),
    "NaN": sdf("<link name='b'><pose>nan 0 0 0 0 0</pose></link>"),
    "infinite": sdf("<link name='b'><inertial><mass>1e999</mass></inertial></link>"),
    "negative mass": sdf("<link name='b'><inertial><mass>-1</mass></inertial></link>"),
    "impossible inertia": sdf("<link name='b'><inertial><inertia><ixx>1e9</ixx><iyy>1</iyy><izz>-1e9</izz></inertia></inertial></link>"),
    "huge friction": sdf("<link name='b'><collision name='c'><geometry><sphere/></geometry><surface><friction><ode><mu>1e8</mu></ode></friction>"
                         "</surface></collision></link>"),
    "flat box": sdf("<link name='b'><collision name='c'><geometry><box><size>0 1 1</size></box></geometry></collision></link>"),
    "huge step": '<sdf version="1.9"><world name="w"><physics><max_step_size>1e8</max_step_size></physics><model name="m"><link name="a"/></model></world></sdf>',
    "huge gravity": '<sdf version="1.9"><world name="w"><gravity>0 0 -1e9</gravity><model name="m"><link name="a"/></model></world></sdf>',
    "placed by nothing": sdf("<model name='n' placement_frame='x'><link name='b'/></model>"),
    "names": '<sdf version="1.9"><model name="__model__"><link name="world"/><link name="a::b"/></model></sdf>',
    "entities": ENTITIES + "<sdf version='&c;'/>",
}
HOSTILE_MJCF = {
    "includes itself": '<mujoco><include file="hostile.xml"/></mujoco>',
    "include escape": '<mujoco><include file="../../../etc/passwd"/></mujoco>',
    "include nothing": "<mujoco><include/></mujoco>",
    "mesh escape": '<mujoco><compiler meshdir="/etc"/><asset><mesh name="m" file="passwd"/></asset><worldbody><body><joint/>'
                   '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    "unknown mesh": '<mujoco><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>',
    "unknown class": '<mujoco><worldbody><geom class="m" size="1"/></worldbody></mujoco>',
    "class of itself": '<mujoco><default class="a"><default class="a"><geom size="1"/></default></default><worldbody/></mujoco>',
    "composite": '<mujoco><worldbody><body><composite type="grid" count="1000000 1000000 1"/></body></worldbody></mujoco>',
    "huge field": '<mujoco><asset><hfield name="h" nrow="1000000" ncol="1000000" size="1 1 1 1"/></asset><worldbody>'
                  '<geom type="hfield" hfield="h"/></worldbody></mujoco>',
    "deep bodies": "<mujoco><worldbody>" + "<body>" * 62 + "</body>" * 62 + "</worldbody></mujoco>",
    "many bodies": "<mujoco><worldbody>" + "<body/>" * 20000 + "</worldbody></mujoco>",
    "NaN": bodies('<option timestep="nan"/>'),
    "zero step": bodies('<option timestep="0"/>'),
    "tiny step": bodies('<option timestep="1e-30"/>'),
    "negative step": bodies('<option timestep="-1"/>'),
    "many iterations": bodies('<option iterations="1e9"/>'),
    "huge solref": bodies('<default><geom solref="1e9 -1e9" solimp="1e9 -1e9 1e9 1e9 1e9"/></default>'),
    "short key": bodies('<keyframe><key qpos="1 2 3"/></keyframe>'),
    "coupled to itself": bodies('<equality><joint joint1="j" joint2="j"/></equality>'),
    "loop to itself": bodies('<equality><connect body1="a" body2="a" anchor="0 0 0"/></equality>'),
    "loop to an unknown body": bodies('<equality><connect body1="a" body2="x" anchor="0 0 0"/></equality>'),
    "no length": '<mujoco><worldbody><body quat="0 0 0 0"><joint axis="0 0 0"/><geom size="0"/></body></worldbody></mujoco>',
    "same axes": '<mujoco><worldbody><body xyaxes="1 0 0 1 0 0"/></worldbody></mujoco>',
    "free inside": '<mujoco><worldbody><body><body><freejoint/><geom size="1"/></body></body></worldbody></mujoco>',
    "euler": '<mujoco><compiler eulerseq="abc"/><worldbody><body euler="1 2 3"/></worldbody></mujoco>',
    "two names": '<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>',
    "entities": ENTITIES + "<mujoco model='&c;'/>",
}


def damaged(text: bytes, generator: random.Random) -> bytes:
    """A copy with a few bytes changed, a piece removed, repeated or moved, truncated, or with an absurd number."""
    data = bytearray(text)
    kind = generator.randrange(6)
    at, length = generator.randrange(len(data)), generator.randrange(1, 40)
    if kind == 0:
        for _ in range(generator.randrange(1, 8)):
            data[generator.randrange(len(data))] = generator.randrange(256)
    elif kind == 1:
        del data[at:at + length]
    elif kind == 2:
        data[at:at] = data[at:at + length]
    elif kind == 3:
        del data[at:]
    elif kind == 4:
        piece = data[at:at + length]
        del data[at:at + length]
        place = generator.randrange(len(data))
        data[place:place] = piece
    else:
        numbers = list(re.finditer(rb"\d+(\.\d+)?", bytes(data)))
        number = generator.choice(numbers)
        data[number.start():number.end()] = generator.choice([b"nan", b"-1", b"1e300", b"1e9", b"0", b"-1e-300", b"99999999999999999999"])
    return bytes(data)


def limit_memory() -> None:
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))


class Hostile(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.count = 0

    def tearDown(self) -> None:
        self.folder.cleanup()

    def feed(self, name: str, ending: str, content, *arguments: str) -> None:
        self.count += 1
        file = self.path / f"hostile{ending}"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        done = subprocess.run([LOCKSTEP, "import", file, "-o", self.path / "out.xml", *arguments], capture_output=True, text=True, errors="replace",
                              timeout=MAX_SECONDS, check=False, preexec_fn=limit_memory)
        said = done.stdout + done.stderr
        self.assertIn(done.returncode, (0, 2), f"{name}: {said[-2000:]}")
        self.assertNotIn("root:", said, name)
        if done.returncode == 2:
            lines = done.stderr.strip().splitlines()
            self.assertTrue(lines and "error: " in lines[0] and len(lines[0]) < 1000, f"{name}: {said[:2000]}")

    def test_urdf(self) -> None:
        for name, content in HOSTILE_URDF.items():
            with self.subTest(name):
                self.feed(name, ".urdf", content)

    def test_xacro(self) -> None:
        for name, content in HOSTILE_XACRO.items():
            with self.subTest(name):
                self.feed(name, ".xacro", content)

    def test_sdf(self) -> None:
        for name, content in HOSTILE_SDF.items():
            with self.subTest(name):
                self.feed(name, ".sdf", content)

    def test_srdf(self) -> None:
        for name, content in HOSTILE_SRDF.items():
            with self.subTest(name):
                (self.path / "hostile.srdf").write_bytes(content if isinstance(content, bytes) else content.encode())
                self.feed(name, ".urdf", arm(), "--key", "home")
                self.feed(name, ".urdf", arm(), "--base", "free", "--ground", "--drive", "speed")

    def test_mjcf(self) -> None:
        for name, content in HOSTILE_MJCF.items():
            with self.subTest(name):
                self.feed(name, ".xml", content)

    def test_damaged_files(self) -> None:
        generator = random.Random(1)
        sources = [(file.name, ".urdf", file.read_bytes()) for file in sorted((HERE / "urdf").glob("*.urdf"))]
        sources += [(file.name, ".xacro", file.read_bytes()) for file in sorted((HERE / "xacro").glob("*.xacro"))]
        sources += [(file.name, ".sdf", file.read_bytes()) for file in sorted((HERE / "sdf").glob("*.sdf"))]
        sources.append(("model.xml", ".xml", MJCF.encode()))
        for name, ending, content in sources:
            for number in range(DAMAGED_PER_FILE):
                with self.subTest(f"{name} {number}"):
                    self.feed(f"{name} {number}", ending, damaged(content, generator))
        self.assertEqual(self.count, DAMAGED_PER_FILE * len(sources))


if __name__ == "__main__":
    unittest.main()
