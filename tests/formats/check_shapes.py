#!/usr/bin/env python3
"""Imports files of shapes: collision shapes, masses, names, folders and the report."""

import base64
import json
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

CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
SIDES = ((4, 3, 2, 1), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8))


def boxes(*named: tuple) -> str:
    """An OBJ of boxes, each a name, a corner and a size."""
    text = ""
    for i, (name, corner, size) in enumerate(named):
        text += f"o {name}\n"
        for at in CORNERS:
            text += "v " + " ".join(str(c + s * a) for c, s, a in zip(corner, size, at)) + "\n"
        for side in SIDES:
            text += "f " + " ".join(str(8 * i + v) for v in side) + "\n"
    return text


class Shapes(CommandTest):
    def imported(self, text: str, *options: str, name: str = "part.obj", output: str = "out.xml") -> str:
        (self.path / name).write_text(text, encoding="utf-8")
        return self.do("import", self.path / name, "-o", self.path / output, *options)

    def scenario(self) -> str:
        return (self.path / "out.xml").read_text(encoding="utf-8")

    def test_collision_shapes_are_chosen_by_an_option(self) -> None:
        wedge = "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nv 0 0 2\nv 0 3 2\nf 4 3 2 1\nf 1 2 5\nf 3 4 6\nf 2 3 6 5\nf 4 1 5 6\n"
        for kind, count in (("box", 1), ("hull", 2), ("none", 1)):
            self.imported(wedge, "--collision", kind)
            text = self.scenario()
            self.assertEqual(text.count("<box"), 1 if kind == "box" else 0, text)
            self.assertEqual(text.count("<mesh"), count, text)
        done = lockstep("import", self.path / "part.obj", "-o", self.path / "out.xml", "--collision", "exact")
        self.assertIn("--collision: error: 'exact' is unknown; expected 'fitted', 'hull', 'box' or 'none'", done.stderr)

    def test_the_second_import_uses_the_shapes_of_the_first(self) -> None:
        (self.path / "part.obj").write_text(boxes(("bar", (0, 0, 0), (1, 0.1, 0.1))), encoding="utf-8")
        results = []
        for _ in range(2):
            done = lockstep("import", self.path / "part.obj", "-o", self.path / "out.xml", cache=str(self.path / "cache"))
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append((done.stdout.replace(f"  made the folder {self.path}/out-meshes\n", ""), self.scenario()))
            self.assertEqual(len(list((self.path / "cache/lockstep/fits").iterdir())), 1)
        self.assertEqual(*results)
        lockstep("import", self.path / "part.obj", "-o", self.path / "out.xml", "--no-cache", cache=str(self.path / "other"))
        self.assertFalse((self.path / "other").exists())

    def test_a_bad_fit_looks_wrong(self) -> None:
        # A frame of four bars in an assembly of 64 parts, so that it gets a single shape.
        bars = [("frame", (0, 0, 0), (1, 1, 0.02))] + [(f"p{i}", (2 + i, 0, 0), (0.5, 0.5, 0.5)) for i in range(63)]
        text = boxes(*bars) + "o ring\n" + "".join(
            f"v {x} {y} {z}\n" for z in (0, 0.02) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1), (.1, .1), (.9, .1), (.9, .9), (.1, .9)))
        faces = []
        for i in range(4):
            j = (i + 1) % 4
            faces += [(i, i + 4, j + 4, j), (i + 8, j + 8, j + 12, i + 12), (i, j, j + 8, i + 8), (i + 4, i + 12, j + 12, j + 4)]
        text += "".join("f " + " ".join(str(64 * 8 + 1 + v) for v in face) + "\n" for face in faces)
        report = self.imported(text)
        self.assertRegex(report, r"the collision shapes of 1 parts are off by more than a tenth of their size, of 'ring' by 4\d\d mm")

    def test_changed_names_and_new_folders_are_in_the_report(self) -> None:
        report = self.imported(boxes(("Stößel 右", (0, 0, 0), (1, 1, 1))), name="mein teil.obj", output="new/out.xml")
        self.assertIn("'mein teil' is named 'mein_teil': names are letters, digits, _ - .", report)
        self.assertIn("'Stößel 右' is named 'Stoessel_u53F3'", report)
        self.assertIn(f"made the folder {self.path}/new", report)

    def test_an_open_mesh_has_the_mass_with_its_holes_closed(self) -> None:
        cup = "".join(line + "\n" for line in boxes(("cup", (0, 0, 0), (1, 1, 1))).splitlines() if line != "f 5 6 7 8")
        cup = cup.replace("v 0 0 1\n", "v 0 0 1.5\n")  # a rim that is not flat
        report = self.imported(cup)
        self.assertIn("'cup': its mass is that of its open mesh with 1 holes closed", report)
        # A prism under the rim: the mean of the corners and of their centre is 1.125.
        self.assertIn("mass 1125 kg", report)

    def test_a_file_without_faces_is_an_error(self) -> None:
        (self.path / "part.obj").write_text("o points\nv 0 0 0\nv 1 0 0\nl 1 2\n", encoding="utf-8")
        done = lockstep("import", self.path / "part.obj", "-o", self.path / "out.xml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the file has no faces; expected a surface of triangles or polygons", done.stderr)

    def test_a_robot_has_the_colours_of_its_meshes(self) -> None:
        points = struct.pack("<12f12H", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
        view = {"POSITION": 0}
        scene = {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"name": "a", "mesh": 0}, {"name": "b", "mesh": 1, "translation": [3, 0, 0]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": color}} for color in ([1, 0, 0, 1], [0, 0, 1, 1])],
            "meshes": [{"primitives": [{"attributes": view, "indices": 1, "material": i}]} for i in range(2)],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                          {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
            "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
            "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64," + base64.b64encode(points).decode()}],
        }
        (self.path / "two.gltf").write_text(json.dumps(scene), encoding="utf-8")
        link = "<link name='l'><visual><geometry><mesh filename='two.gltf'/></geometry>{}</visual></link>"
        self.imported(f"<robot name='r'>{link.format('')}</robot>", name="r.urdf")
        colors = re.findall(r'<mesh [^>]*color="([^"]*)"', self.scenario())
        self.assertEqual(sorted(colors), ["#0000ff", "#ff0000"])
        own = "<material name='m'><color rgba='0 1 0 1'/></material>"
        self.imported(f"<robot name='r'>{link.format(own)}</robot>", name="r.urdf")
        self.assertEqual(re.findall(r'<mesh [^>]*color="([^"]*)"', self.scenario()), ["#00ff00"])

    def test_lines_that_repeat_are_said_once(self) -> None:
        report = self.imported(boxes(*((f"p{i}", (2 * i, 0, 0), (1, 1, 1)) for i in range(5))))
        self.assertEqual(len(re.findall("collides as", report)), 1, report)
        self.assertIn("(and 4 more such lines: 'p1', 'p2', 'p3', 'p4')", report)



def png(*pixels: tuple) -> bytes:
    """One row of pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">2I5B", len(pixels), 1, 8, 2, 0, 0, 0)
    row = b"\0" + b"".join(bytes(pixel) for pixel in pixels)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b"")


# A cube of 1 m whose lower side has another material, and whose texture is red on the left and blue on the right.
CUBE = "".join("v " + " ".join(map(str, corner)) + "\n" for corner in CORNERS)
PAINTED = f"mtllib paint.mtl\no cube\n{CUBE}usemtl green\nf 4 3 2 1\nusemtl grey\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
TEXTURED = (
    f"mtllib paint.mtl\no cube\n{CUBE}vt 0.1 0.1\nvt 0.4 0.1\nvt 0.4 0.9\nvt 0.1 0.9\nvt 0.6 0.1\nvt 0.9 0.1\nvt 0.9 0.9\nvt 0.6 0.9\n"
    "usemtl image\nf 4/1 3/2 2/3 1/4\nf 5/5 6/6 7/7 8/8\nf 1/1 2/2 6/3 5/4\nf 2/1 3/2 7/3 6/4\nf 3/1 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\n"
)
MATERIALS = "newmtl green\nKd 0 1 0\nnewmtl grey\nKd 0.5 0.5 0.5\nd 0.25\nnewmtl image\nKd 1 1 1\nmap_Kd -s 1 1 1 wood.png\n"


class Colors(CommandTest):
    def imported(self, text: str, texture: bytes = b"") -> str:
        (self.path / "paint.mtl").write_text(MATERIALS, encoding="utf-8")
        (self.path / "cube.obj").write_text(text, encoding="utf-8")
        (self.path / "wood.png").write_bytes(texture)
        report = self.do("import", self.path / "cube.obj", "-o", self.path / "out.xml", "--collision", "box")
        self.assertIn("mass 1000 kg", report)
        return report

    def colors(self, name: str = "out.xml") -> list:
        return sorted(re.findall(r'color="([^"]*)"', (self.path / name).read_text(encoding="utf-8")))

    def test_each_material_of_a_part_has_its_colour(self) -> None:
        self.imported(PAINTED)
        self.assertEqual(self.colors(), ["#00ff00", "0.5 0.5 0.5 0.25"])

    def test_faces_have_the_colours_of_a_texture(self) -> None:
        report = self.imported(TEXTURED, png((255, 0, 0), (0, 0, 255)))
        self.assertEqual(self.colors(), ["#0000ff", "#ff0000"])
        self.assertIn("the texture 'wood.png': each face has its colour in the middle of the face", report)
        meshes = sorted(path.stat().st_size for path in (self.path / "out-meshes").glob("*color*.stl"))
        self.assertEqual(meshes, [84 + 50 * 2, 84 + 50 * 10], "triangles of the upper side, and of the others")

    def test_unreadable_textures_are_reported(self) -> None:
        huge = png((255, 0, 0))
        huge = huge[:16] + struct.pack(">2I", 100000, 100000) + huge[24:29] + struct.pack(">I", zlib.crc32(huge[12:16] + struct.pack(">2I", 100000, 100000) + huge[24:29])) + huge[33:]
        for data, reason in ((b"\xff\xd8 not a PNG", "is not a PNG"), (huge, "has too many pixels"), (png((1, 2, 3))[:50], "is damaged")):
            report = self.imported(TEXTURED, data)
            self.assertRegex(report, f"lost\n  the texture 'wood.png', which .*{reason}")
            self.assertEqual(self.colors(), ["#ffffff"])

    def test_a_texture_outside_of_the_folder_is_not_read(self) -> None:
        (self.path / "secret.png").write_bytes(png((255, 0, 0)))
        inside = self.path / "inside"
        inside.mkdir()
        (inside / "paint.mtl").write_text("newmtl image\nKd 1 1 1\nmap_Kd ../secret.png\n", encoding="utf-8")
        (inside / "cube.obj").write_text(TEXTURED, encoding="utf-8")
        report = self.do("import", inside / "cube.obj", "-o", self.path / "out.xml")
        self.assertIn("leaves the folder", report)
        self.assertEqual(self.colors(), ["#ffffff"])

    def test_gltf_textures_in_the_file(self) -> None:
        corners = struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
        # Each corner at the right of the image: blue, of which the material leaves the part that is 0.5 in sRGB.
        points = struct.pack("<8f", *(0.75, 0.5) * 4)
        faces = struct.pack("<12H", 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
        data = corners + points + faces
        image = base64.b64encode(png((255, 0, 0), (0, 0, 255))).decode()
        scene = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "tip", "mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 0.21404114, 1], "baseColorTexture": {"index": 0}}}],
            "textures": [{"source": 0}],
            "images": [{"uri": "data:image/png;base64," + image}],
            "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 0, "byteLength": 48},
                {"buffer": 0, "byteOffset": 48, "byteLength": 32},
                {"buffer": 0, "byteOffset": 80, "byteLength": 24},
            ],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
                {"bufferView": 2, "componentType": 5123, "count": 12, "type": "SCALAR"},
            ],
        }
        (self.path / "tip.gltf").write_text(json.dumps(scene), encoding="utf-8")
        self.do("import", self.path / "tip.gltf", "-o", self.path / "out.xml", "--collision", "none")
        (color,) = self.colors()
        red, green, blue = map(float, color.split())
        self.assertEqual((red, green), (0, 0))
        self.assertAlmostEqual(blue, 0.5, places=3)

    def test_robots_have_the_colours_of_their_obj_meshes(self) -> None:
        self.imported(PAINTED)
        for name, visual in (("robot.urdf", '<visual><geometry><mesh filename="cube.obj"/></geometry></visual>'),):
            (self.path / name).write_text(f'<robot name="r"><link name="base">{visual}</link></robot>', encoding="utf-8")
        self.do("import", self.path / "robot.urdf", "-o", self.path / "robot.xml")
        self.assertEqual(self.colors("robot.xml"), ["#00ff00", "0.5 0.5 0.5 0.25"])
        sdf = '<sdf version="1.9"><model name="m"><static>true</static><link name="l"><visual name="v"><geometry><mesh><uri>cube.obj</uri></mesh></geometry></visual></link></model></sdf>'
        (self.path / "robot.sdf").write_text(sdf, encoding="utf-8")
        self.do("import", self.path / "robot.sdf", "-o", self.path / "sdf.xml")
        self.assertEqual(self.colors("sdf.xml"), ["#00ff00", "0.5 0.5 0.5 0.25"])


ARM = """<scenario name="arm">
  <material name="red" color="#ff0000"/>
  <ground/>
  <object name="crate" static="true" position="0 2 0.1"><box size="0.2 0.2 0.2" color="#00ff0080"/></object>
  <robot name="arm" position="1 0 0">
    <link name="base" position="0 0 0.5"><box size="0.2 0.4 0.6" material="red"/></link>
    <link name="upper" parent="base" position="0 0 0.3"><joint name="lift" axis="0 1 0" initial="90 deg"/>
      <box size="0.1 0.1 1" position="0 0 0.5" color="#0000ff"/><sphere radius="0.1" visible="false"/></link>
  </robot>
</scenario>
"""


def glb_parts(data: bytes) -> tuple:
    """The JSON and the binary chunk of a GLB, with its headers checked."""
    magic, version, size, json_size, json_type = struct.unpack_from("<5I", data)
    assert (magic, version, size, json_type) == (0x46546C67, 2, len(data), 0x4E4F534A)
    binary_size, binary_type = struct.unpack_from("<2I", data, 20 + json_size)
    assert (binary_type, 28 + json_size + binary_size) == (0x004E4942, len(data))
    return json.loads(data[20 : 20 + json_size]), data[28 + json_size :]


class Gltf(CommandTest):
    def exported(self, *options: str) -> str:
        (self.path / "arm.xml").write_text(ARM, encoding="utf-8")
        return self.do("export", self.path / "arm.xml", "-o", self.path / "arm.glb", *options)

    def test_visible_shapes_are_written_with_colours_and_tree(self) -> None:
        report = self.exported()
        self.assertIn("1 grounds and terrains", report)
        scene, binary = glb_parts((self.path / "arm.glb").read_bytes())
        nodes = {node["name"]: node for node in scene["nodes"]}
        children = [scene["nodes"][i]["name"] for i in nodes["base"]["children"]]
        self.assertIn("upper", children)
        self.assertEqual([scene["nodes"][i]["name"] for i in nodes["scenario"]["children"]], ["crate", "arm"])
        self.assertEqual(nodes["base"]["translation"], [1, 0, 0.5])
        # Turned by 90 degrees about y: x, y, z, w.
        for value, expected in zip(nodes["upper"]["rotation"], (0, 0.5**0.5, 0, 0.5**0.5)):
            self.assertAlmostEqual(value, expected)
        colors = [m["pbrMetallicRoughness"]["baseColorFactor"] for m in scene["materials"]]
        self.assertEqual(len(colors), 3)
        self.assertIn([1, 0, 0, 1], colors)
        self.assertIn([0, 0, 1, 1], colors)
        self.assertEqual(len(scene["meshes"]), 3)
        for mesh in scene["meshes"]:
            at = scene["accessors"][mesh["primitives"][0]["attributes"]["POSITION"]]
            view = scene["bufferViews"][at["bufferView"]]
            numbers = struct.unpack_from(f"<{3 * at['count']}f", binary, view["byteOffset"])
            for axis in range(3):
                self.assertEqual(min(numbers[axis::3]), at["min"][axis])
                self.assertEqual(max(numbers[axis::3]), at["max"][axis])

    def test_what_is_written_can_be_read(self) -> None:
        self.exported("--robot", "arm")
        report = self.do("import", self.path / "arm.glb", "-o", self.path / "again.xml", "--collision", "none")
        # 0.048 m^3 and 0.01 m^3 of water, the second lying along x at a height of 0.8 m.
        self.assertRegex(report, r"mass 58 kg, centre 1\.08621 \S+ 0\.551724 m")
        text = (self.path / "again.xml").read_text(encoding="utf-8")
        self.assertIn('color="#ff0000"', text)
        self.assertIn('color="#0000ff"', text)

    def test_nothing_to_export_is_an_error(self) -> None:
        (self.path / "empty.xml").write_text('<scenario name="empty"><ground/></scenario>', encoding="utf-8")
        done = lockstep("export", self.path / "empty.xml", "-o", self.path / "empty.glb")
        self.assertEqual(done.returncode, 2)
        self.assertIn("empty.xml:1:1: error: there is no visible shape to export", done.stderr)


if __name__ == "__main__":
    unittest.main()
