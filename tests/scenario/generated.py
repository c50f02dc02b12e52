"""Invalid scenarios that cannot be in cases/: not XML, too large, in several files, or changed by --set.

Each has its files (text, bytes, or a function that writes them) and the lines that `lockstep check` must print. "@"
means "bad.xml", the main file.
"""

import dataclasses
import os
import shutil
import struct
import zlib


@dataclasses.dataclass
class Case:
    name: str
    files: dict
    expected: list
    arguments: list = dataclasses.field(default_factory=list)
    main: str = "bad.xml"

    def __post_init__(self):
        self.expected = [line.replace("@", self.main, 1) if line.startswith("@") else line for line in self.expected]

    def write(self, folder):
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            elif isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8")

    def remove(self, folder):
        shutil.rmtree(folder)


def scenario(inside):
    return f"<scenario>\n{inside}\n</scenario>\n"


def one(name, content, *expected, arguments=()):
    """A case of one file."""
    return Case(name, {"bad.xml": content}, list(expected), list(arguments))


# Heightmaps.


def chunk(kind, data, damage=0):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) ^ damage)


def png(columns, rows, pixels, damage=0):
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header, damage) + chunk(b"IDAT", zlib.compress(pixels)) +
            chunk(b"IEND", b""))


def flat_png(columns, rows):
    return png(columns, rows, bytes((columns + 1) * rows))


def write_largest_png(path):
    """4096 x 4096 pixels, deflated row by row to keep this process small."""
    deflate = zlib.compressobj()
    pixels = b"".join([deflate.compress(bytes(4097)) for _ in range(4096)] + [deflate.flush()])
    header = struct.pack(">IIBBBBB", 4096, 4096, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


TERRAIN = scenario('<terrain src="hills.png" size="10 10 1"/>')


def terrain(name, content, *expected):
    return Case(name, {"bad.xml": TERRAIN, "hills.png": content}, list(expected))


# Meshes.

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mesh(name, file, content, *expected):
    return Case(name, {"bad.xml": scenario(f'<object name="o"><mesh src="{file}"/></object>'), file: content},
                list(expected))


def stl(claimed, triangles=b""):
    return bytes(80) + struct.pack("<I", claimed) + triangles


# Motor characteristics.

MOTOR = scenario('<robot name="r"><link name="a"/><link name="b" parent="a"><joint name="j"/><sphere/></link>\n'
                 '<actuators><motor name="m" joint="j" src="m.csv"/></actuators></robot>')


def motor(name, content, *expected):
    return Case(name, {"bad.xml": MOTOR, "m.csv": content}, list(expected))


# Size.


def repeated(before, piece, count, after):
    """Written in blocks: the memory of this process counts for the commands that it starts."""

    def write(path):
        block = 1 + 100_000 // len(piece)
        with open(path, "w", encoding="utf-8") as file:
            file.write(before)
            for i in range(0, count, block):
                file.write(piece * min(block, count - i))
            file.write(after)

    return write


def many_attributes(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("<scenario")
        file.writelines(f' a{i}="1"' for i in range(1_000_000))
        file.write("/>")


def sparse(size):
    def write(path):
        with open(path, "wb") as file:
            file.write(b"<scenario>")
            file.truncate(size)

    return write


def bodies(count):
    return scenario("\n".join(f'<object name="o{i}" position="{i} 0 0"><sphere radius="0.1"/></object>'
                              for i in range(count)))


def chain(count):
    links = ['<link name="l0"><box size="0.1 0.1 0.1"/></link>']
    links += [f'<link name="l{i}" parent="l{i - 1}"><joint name="j{i}"/><box size="0.1 0.1 0.1"/></link>'
              for i in range(1, count)]
    return scenario('<robot name="r">\n' + "\n".join(links) + "\n</robot>")


def link_to(target):
    return lambda path: os.symlink(target, path)


def robot(inside):
    return scenario(f'<robot name="r">\n{inside}\n</robot>')


ARM = ('<link name="base"><box size="0.1 0.1 0.1"/></link>\n'
       '<link name="arm" parent="base"><joint name="elbow"/><box size="0.1 0.1 0.1"/></link>')


def edited(name, edit, *expected):
    return one(name, robot(ARM), *expected, arguments=["--set", edit])


CASES = [
    # Not XML.
    one("xml_empty_file", "",
        "@:1:1: error: the file has no element; expected <scenario>"),
    one("xml_only_blanks", "  \n\n",
        "@:1:1: error: the file has no element; expected <scenario>"),
    one("xml_only_a_comment", "<!-- nothing -->\n",
        "@:1:1: error: the file has no element; expected <scenario>"),
    one("xml_binary_file", bytes(range(256)) * 4,
        "@:1:1: error: control character U+0000 is not allowed"),
    one("xml_text_file", "step = 1 ms\n",
        "@:1:1: error: text outside the root element"),
    one("xml_utf16", "<scenario/>\n".encode("utf-16"),
        "@: error: the file is UTF-16; save it as UTF-8"),
    one("xml_other_encoding", '<?xml version="1.0" encoding="ISO-8859-1"?>\n<scenario/>\n',
        "@:1:1: error: encoding 'ISO-8859-1' is not supported; save the file as UTF-8"),
    one("xml_invalid_utf8", b'<scenario>\n  <object name="\xff\xfe"/>\n</scenario>\n',
        "@:2:17: error: byte 0xFF is not UTF-8; save the file as UTF-8"),
    one("xml_null_byte", b'<scenario>\n  <object name="a\0b"/>\n</scenario>\n',
        "@:2:18: error: control character U+0000 is not allowed"),
    one("xml_byte_order_mark_keeps_columns", b'\xef\xbb\xbf<scenario stepp="1"/>\n',
        "@:1:11: error: <scenario> has no attribute 'stepp'; did you mean 'step'?"),
    one("xml_doctype", '<!DOCTYPE scenario>\n<scenario/>\n',
        "@:1:1: error: a DOCTYPE is not allowed; remove it (scenarios use no DTD and no entities)"),
    one("xml_entity_bomb",
        '<?xml version="1.0"?>\n<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>\n<scenario name="&c;"/>\n',
        "@:2:1: error: a DOCTYPE is not allowed; remove it (scenarios use no DTD and no entities)"),
    one("xml_external_entity", '<!DOCTYPE s [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<scenario name="&e;"/>\n',
        "@:1:1: error: a DOCTYPE is not allowed; remove it (scenarios use no DTD and no entities)"),
    one("xml_unknown_entity", '<scenario name="a&nbsp;b"/>\n',
        "@:1:18: error: '&nbsp;' is unknown; expected &amp; &lt; &gt; &quot; &apos; or a number such as &#176;"),
    one("xml_bare_ampersand", '<scenario name="a & b"/>\n',
        "@:1:19: error: '&' does not begin a character reference; write '&' as &amp;"),
    one("xml_never_closed", '<scenario>\n  <object name="o">\n    <sphere/>\n</scenario>\n',
        "@:4:1: error: <object> of line 2 is closed by </scenario>; expected </object>"),
    one("xml_file_cut", '<scenario>\n  <object name="o">\n',
        "@:2:3: error: <object> is never closed; expected </object>"),
    one("xml_file_cut_in_tag", '<scenario>\n  <object name="o"',
        "@:2:3: error: the tag <object has no end; expected '>' or '/>'"),
    one("xml_file_cut_in_value", '<scenario>\n  <object name="o',
        "@:2:11: error: the value of 'name' has no closing quote"),
    one("xml_attribute_without_quotes", '<scenario seed=5/>\n',
        "@:1:16: error: the value of 'seed' is not in quotes; expected seed=\"…\""),
    one("xml_attribute_without_value", '<scenario seed/>\n',
        "@:1:11: error: the attribute 'seed' of <scenario> has no value; expected seed=\"…\""),
    one("xml_missing_quote", '<scenario>\n  <object name="o><sphere radius="1"/></object>\n</scenario>\n',
        "@:2:11: error: the value of 'name' contains '<'; its closing quote is missing, or write &lt;"),
    one("xml_two_roots", '<scenario/>\n<scenario/>\n',
        "@:2:1: error: a second root element; a file has exactly one"),
    one("xml_text_after_root", '<scenario/>\nthe end\n',
        "@:2:1: error: text outside the root element"),
    one("xml_declaration_too_late", '\n<?xml version="1.0"?>\n<scenario/>\n',
        "@:2:1: error: an XML declaration is only at the very beginning of a file"),
    one("xml_comment_never_closed", '<scenario>\n  <!-- once upon a time\n</scenario>\n',
        "@:2:3: error: the comment is never closed; expected '-->'"),
    one("xml_dashes_in_comment", '<scenario>\n  <!-- a -- b -->\n</scenario>\n',
        "@:2:3: error: the comment contains '--', which XML does not allow"),
    Case("main_file_missing", {}, ["error: the scenario 'bad.xml' does not exist"]),
    Case("main_file_is_a_folder", {"bad.xml/inside.txt": ""}, ["error: the scenario 'bad.xml' is a folder; expected a file"]),
    # Bombs.
    one("bomb_nesting", repeated("<scenario>", "<robot>", 100_000, ""),
        "@:1:452: error: elements are nested too deeply; at most 64 levels are allowed"),
    one("bomb_nesting_well_formed", "<scenario>" * 100_000 + "</scenario>" * 100_000,
        "@:1:641: error: elements are nested too deeply; at most 64 levels are allowed"),
    one("bomb_attributes_of_one_element", many_attributes,
        "@:1:801: error: <scenario> has too many attributes; at most 100 are allowed"),
    one("bomb_attributes",
        repeated("<scenario>", "<ground " + " ".join(f'a{i}="1"' for i in range(50)) + "/>", 50_000, "</scenario>"),
        "@:1:15960019: error: the scenario has too many attributes; at most 2000000 are allowed"),
    one("bomb_elements", repeated("<scenario>", "<ground/>", 300_000, "</scenario>"),
        "@:1:1800002: error: the scenario has too many elements; at most 200000 elements, comments and texts are allowed"),
    one("bomb_comments", repeated("<scenario>", "<!---->", 300_000, "</scenario>"),
        "@:1:1400004: error: the scenario has too many elements; at most 200000 elements, comments and texts are allowed"),
    one("bomb_errors", "<scenario>\n" + "<groud/>\n" * 1000 + "</scenario>",
        *(f"@:{line}:1: error: <scenario> cannot contain <groud>; did you mean <ground>?" for line in range(2, 102)),
        '… and 900 more errors'),
    one("bomb_value", repeated('<scenario step="', "9", 20_000_000, '"/>'),
        "@:1:11: error: <scenario>: step: '9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999…' has more than 800 digits"),
    one("bomb_numbers", repeated('<scenario gravity="', "1 ", 5_000_000, '"/>'),
        "@:1:11: error: <scenario>: gravity: more than 100000 numbers"),
    one("bomb_name", repeated("<", "s", 20_000_000, "/>"),
        "@:1:2: error: the name 'ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss…' is too long; at most 100 bytes are allowed"),
    one("bomb_text", repeated("<scenario>", "x", 20_000_000, "</scenario>"),
        "@:1:1: error: <scenario> contains the text 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'; expected only elements"),
    one("bomb_units", '<scenario step="1 ' + "*".join(["s"] * 100_000) + '"/>',
        "@:1:11: error: <scenario>: step: 's*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*s*…' is neither a number nor a unit; expected a time such as '0.5' or '5 ms'"),
    one("bomb_file", sparse(300 << 20),
        "error: the scenario 'bad.xml' is too large; at most 268435456 bytes are allowed"),
    Case("bomb_includes", {
        "bad.xml": scenario("\n".join(f'<include src="part{i}.xml"/>' for i in range(1000))),
        **{f"part{i}.xml": "<scenario/>" for i in range(1000)}
    }, ["@:258:10: error: <include>: too many files are included; at most 256 are allowed"]),
    Case("bomb_includes_doubling", {
        "bad.xml": scenario('<include src="p0.xml"/>'),
        **{f"p{i}.xml": scenario(f'<include src="p{i + 1}.xml"/><include src="p{i + 1}.xml"/>') for i in range(30)},
        "p30.xml": scenario("<ground/>")
    }, ["p27.xml:2:34: error: <include>: too many files are included; at most 256 are allowed"]),
    one("bomb_bodies", lambda path: path.write_text(bodies(10_000)),
        "@:1:1: error: scenario: 10000 bodies are too many; at most 5000 can be simulated"),
    one("bomb_shapes", scenario('<object name="o">' + '<sphere radius="1"/>' * 30_000 + "</object>"),
        "@:1:1: error: scenario: 30000 shapes are too many; at most 20000 can be simulated"),
    one("bomb_materials", scenario("\n".join(f'<material name="m{i}"/>' for i in range(300))),
        "@:1:1: error: scenario: 300 materials are too many; at most 256 are allowed"),
    one("bomb_chain", chain(5000),
        "@:1003:1: error: body 'r/l1000': a chain of 1001 links; mujoco takes at most 1000"),
    one("bomb_contacts", scenario('<engine><mujoco max_contacts="100000"/></engine>\n<ground/>\n<object name="o"><sphere/></object>'),
        "@:2:1: error: engine: 100000 contacts and 0 other constraint rows need 1080.1 GB of memory; the limit is 1.5 GB, use a smaller max_contacts or fewer loops and limits"),
    one("contacts_at_the_start", scenario('<engine><mujoco max_contacts="1"/></engine>\n<ground/>\n<object name="o" position="0 0 0.099"><box size="0.2 0.2 0.2"/></object>'),
        "@:2:1: error: engine: at the start there are more than 1 contacts; set max_contacts in <mujoco> or use fewer shapes"),
    one("bomb_self_collide", chain(1500).replace('name="r"', 'name="r" self_collide="false"'),
        "@:2:1: error: robot 'r': self_collide=\"false\" works for at most 1000 links",
        "@:1003:1: error: body 'r/l1000': a chain of 1001 links; mujoco takes at most 1000"),
    # Several files.
    Case("include_cycle", {
        "bad.xml": scenario('<include src="a.xml"/>'),
        "a.xml": scenario('<include src="b.xml"/>'),
        "b.xml": scenario('<ground/>\n<include src="a.xml"/>')
    }, ["b.xml:3:10: error: <include>: 'a.xml' includes itself"]),
    Case("include_error_inside", {
        "bad.xml": scenario('<include src="sub/a.xml"/>'),
        "sub/a.xml": scenario('<ground/>\n<object name="o"><spher/></object>')
    }, ["sub/a.xml:3:18: error: <object> cannot contain <spher>; did you mean <sphere>?"]),
    Case("include_not_well_formed", {
        "bad.xml": scenario('<include src="a.xml"/>'),
        "a.xml": "<scenario>\n<ground>"
    }, ["a.xml:2:1: error: <ground> is never closed; expected </ground>"]),
    Case("include_link_outside", {
        "bad.xml": scenario('<include src="a.xml"/>'),
        "a.xml": link_to("/etc/passwd")
    }, ["@:2:10: error: <include>: src 'a.xml' is a link that leaves the folder of the scenario"]),
    Case("include_link_to_itself", {
        "bad.xml": scenario('<include src="a.xml"/>'),
        "a.xml": link_to("a.xml")
    }, ["@:2:10: error: <include>: src 'a.xml' cannot be read: Too many levels of symbolic links"]),
    Case("include_pipe", {
        "bad.xml": scenario('<include src="a.xml"/>'),
        "a.xml": os.mkfifo
    }, ["@:2:10: error: <include>: src 'a.xml' is not a regular file"]),
    Case("mesh_is_a_folder", {
        "bad.xml": scenario('<object name="o"><mesh src="a.stl"/></object>'),
        "a.stl/inside.txt": ""
    }, ["@:2:18: error: <mesh>: src 'a.stl' is a folder; expected a file"]),
    Case("mesh_link_outside", {
        "bad.xml": scenario('<object name="o"><mesh src="a.stl"/></object>'),
        "a.stl": link_to("/etc/passwd")
    }, ["@:2:18: error: <mesh>: src 'a.stl' is a link that leaves the folder of the scenario"]),
    Case("robot_file_error_inside", {
        "bad.xml": scenario('<robot name="r" src="arm.xml"/>'),
        "arm.xml": '<robot name="arm">\n<link name="base" parent="torso"><box/></link>\n</robot>\n'
    }, ["arm.xml:2:1: error: link 'r/base': unknown parent 'torso'"]),
    # Motor characteristics.
    motor("motor_file_empty", "",
          "m.csv: error: characteristic: the file is empty; expected a line such as 'current,torque'"),
    motor("motor_file_binary", bytes(range(256)),
          "m.csv:1:1: error: characteristic: unknown quantity '         '; expected one of 'current', 'speed', 'torque'"),
    motor("motor_file_without_names", "0,0\n1,0.1\n",
          "m.csv:1:1: error: characteristic: unknown quantity '0'; expected one of 'current', 'speed', 'torque'"),
    motor("motor_file_with_nan", "current,torque\n0,0\n1,nan\n",
          "m.csv:3:3: error: characteristic: torque: 'nan' is not a number; expected a torque such as '0.5' or '5 N*m'"),
    motor("motor_file_with_huge_current", "current,torque\n0,0\n1e300,1\n",
          "m.csv:3:1: error: <motor> 'r/m': a point with 1e+300; expected numbers up to 1000000000"),
    motor("motor_file_with_hole", "current,speed,torque\n0,0,0\n0,5,0\n2,5,1\n",
          "@:3:38: error: <motor> 'r/m': no point at 2 A and 0 rad/s; expected one for each current at each speed"),
    motor("motor_file_of_too_many_points", "current,torque\n" + "".join(f"{i},{i}\n" for i in range(100_002)),
          "m.csv:100002:1: error: characteristic: more than 100000 points"),
    # Heightmaps.
    terrain("heightmap_of_a_billion_cells", png(32_000, 32_000, b""),
        "@:2:1: error: heightmap: the image has 32000 x 32000 pixels; expected at most 16777216 in all"),
    terrain("heightmap_of_2_to_the_62_cells", png(0x7FFFFFFF, 0x7FFFFFFF, b""),
        "@:2:1: error: heightmap: the image has 2147483647 x 2147483647 pixels; expected at most 16777216 in all"),
    terrain("heightmap_larger_than_the_file", png(4000, 4000, b""),
        "@:2:1: error: heightmap: the image has 4000 x 4000 pixels, but the file only 65 bytes: it is truncated"),
    Case("heightmap_as_large_as_allowed", {
        "bad.xml": scenario('<terrain src="hills.png" size="10 10 1" material="gras"/>\n<material name="grass"/>'),
        "hills.png": write_largest_png
    }, ["@:2:1: error: terrain 'terrain': unknown material 'gras'; did you mean 'grass'?"]),
    terrain("heightmap_of_one_pixel", flat_png(1, 1),
        "@:2:1: error: heightmap: the image has 1 x 1 pixels; expected at least 2 x 2"),
    terrain("heightmap_without_pixels", png(0, 0, b""),
        "@:2:1: error: heightmap: the image has 0 x 0 pixels; expected at least 2 x 2"),
    terrain("heightmap_cut", flat_png(64, 64)[:50],
        "@:2:1: error: heightmap: the PNG image is damaged: the file ends too early"),
    terrain("heightmap_rows_missing", png(64, 64, bytes(65 * 10)),
        "@:2:1: error: heightmap: the PNG image is damaged: Not enough image data"),
    terrain("heightmap_bad_checksum", png(64, 64, bytes(65 * 64), damage=1),
        "@:2:1: error: heightmap: the PNG image is damaged: IHDR: CRC error"),
    terrain("heightmap_empty_file", b"",
        "@:2:1: error: heightmap: the file is not a PNG image"),
    terrain("heightmap_is_a_jpeg", b"\xff\xd8\xff\xe0" + bytes(100),
        "@:2:1: error: heightmap: the file is not a PNG image"),
    # Meshes.
    mesh("mesh_obj_nan", "a.obj", TETRAHEDRON.replace("v 1 0 0", "v nan 0 0"),
        "@:2:18: error: mesh 'a.obj': line 2: coordinate 'nan' is not a number; expected one such as '0.5'"),
    mesh("mesh_obj_face_out_of_range", "a.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 3 9"),
        "@:2:18: error: mesh 'a.obj': line 8: face references vertex 9; the file has 4 vertices so far"),
    mesh("mesh_obj_face_of_two", "a.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 3"),
        "@:2:18: error: mesh 'a.obj': line 8: face has 2 vertices; expected at least 3"),
    mesh("mesh_obj_word", "a.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 x 4"),
        "@:2:18: error: mesh 'a.obj': line 8: 'x' is not a corner of a face; expected one such as '7', '7/1' or '7/1/2'"),
    mesh("mesh_obj_open", "a.obj", TETRAHEDRON.replace("f 2 3 4\n", ""),
        "@:2:18: error: object 'o': mesh 'a.obj' encloses no volume: it is open at 3 edges; fix it or give the body an <inertial>"),
    mesh("mesh_obj_inside_out_face", "a.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 4 3"),
        "@:2:18: error: object 'o': mesh 'a.obj' encloses no volume: neighbouring faces have opposite orientations at 3 edges; fix it or give the body an <inertial>"),
    mesh("mesh_obj_without_faces", "a.obj", "v 0 0 0\nv 1 0 0\n",
        "@:2:18: error: mesh 'a.obj': the file has no faces; expected a surface of triangles or polygons"),
    mesh("mesh_obj_flat", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
        "@:2:18: error: object 'o': mesh 'a.obj' encloses no volume: it is flat; fix it or give the body an <inertial>"),
    mesh("mesh_obj_too_far_away", "a.obj", TETRAHEDRON.replace("v 1 0 0", "v 1e200 0 0"),
        "@:2:18: error: mesh 'a.obj': line 2: vertex (1e+200, 0, 0); expected coordinates between -1000000000 and 1000000000"),
    mesh("mesh_stl_claims_4e9_triangles", "a.stl", stl(4_000_000_000),
        "@:2:18: error: mesh 'a.stl': neither text that begins with 'solid' nor a binary STL: 4000000000 triangles take 200000000084 bytes, the file has 84"),
    mesh("mesh_stl_cut", "a.stl", stl(2, bytes(60)),
        "@:2:18: error: mesh 'a.stl': neither text that begins with 'solid' nor a binary STL: 2 triangles take 184 bytes, the file has 144"),
    mesh("mesh_stl_without_triangles", "a.stl", stl(0),
        "@:2:18: error: mesh 'a.stl': the file has no faces; expected a surface of triangles or polygons"),
    mesh("mesh_stl_nan", "a.stl", stl(1, struct.pack("<12fH", *([float("nan")] * 12), 0)),
        "@:2:18: error: mesh 'a.stl': vertex (nan, nan, nan); expected coordinates between -1000000000 and 1000000000"),
    mesh("mesh_stl_text_cut", "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0",
        "@:2:18: error: mesh 'a.stl': line 4: the file ends too early; expected three coordinates"),
    mesh("mesh_stl_empty_file", "a.stl", b"",
        "@:2:18: error: mesh 'a.stl': neither text that begins with 'solid' nor long enough for a binary STL"),
    mesh("mesh_unknown_ending", "a.step", b"ISO-10303-21;",
        "@:2:18: error: mesh 'a.step': unknown file format; expected a name that ends in '.obj' or '.stl'"),
    # --set.
    edited("set_matches_nothing", "//joint[@name='elbw']/@damping=1",
        "--set //joint[@name='elbw']/@damping=1: error: XPath '//joint[@name='elbw']/@damping' selects nothing; did you mean 'elbow'?"),
    edited("set_bad_xpath", "//joint[/@damping=1",
        "--set: error: '//joint[/@damping=1' is not an edit; expected XPATH=VALUE such as '//joint/@damping=0.1'"),
    edited("set_bad_xpath_brackets", "//joint[]/@damping=1",
        "--set //joint[]/@damping=1: error: XPath '//joint[]' is invalid at character 9: Unrecognized node test"),
    edited("set_without_value", "//joint/@damping",
        "--set: error: '//joint/@damping' is not an edit; expected XPATH=VALUE such as '//joint/@damping=0.1'"),
    edited("set_without_path", "=1",
        "--set: error: '=1' is not an edit; expected XPATH=VALUE such as '//joint/@damping=0.1'"),
    edited("set_nan", "//joint/@damping=nan",
        "--set //joint/@damping=nan: error: joint 'elbow': damping: 'nan' is not a number; expected a torsional damping such as '0.5' or '5 N*m*s/rad'"),
    edited("set_wrong_unit", "//joint/@damping=5 kg",
        "--set //joint/@damping=5 kg: error: joint 'elbow': damping: unit 'kg' does not fit; expected a torsional damping in 'N*m*s/rad', such as '5 N*m*s/rad'"),
    edited("set_unknown_attribute", "//joint/@dampin=5",
        "--set //joint/@dampin=5: error: <joint> has no attribute 'dampin'; did you mean 'damping'?"),
    edited("set_unknown_parent", "//link[@name='arm']/@parent=bse",
        "@:4:1: error: link 'r/arm': unknown parent 'bse'; did you mean 'base'?",
        "--set //link[@name='arm']/@parent=bse: note: this edit was applied before the check"),
    edited("set_no_nodes", "count(//joint)=5",
        "--set count(//joint)=5: error: XPath 'count(//joint)' is invalid at character 1: Expression does not evaluate to node set"),
    edited("set_long_xpath", "//joint" + "[1]" * 2000 + "/@damping=1",
        "--set //joint[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]…: error: the XPath has 6016 bytes; at most 1000 are allowed"),
    edited("set_limit_without_the_other", "//joint/@lower=1",
        "@:4:32: error: joint 'r/elbow': has 'lower' but no 'upper'; a limit needs both",
        "--set //joint/@lower=1: note: this edit was applied before the check"),
    edited("set_step_out_of_range", "/scenario/@step=5 s",
        "--set /scenario/@step=5 s: error: <scenario>: step 5 s is out of range; expected above 0 and at most 1 s"),
    edited("set_file_outside", "//robot/@src=../secret.xml",
        "--set //robot/@src=../secret.xml: error: the src of a <robot> cannot be set: its file has already been read"),
]
