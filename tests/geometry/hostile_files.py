"""Damaged, truncated and hostile files, made from small valid ones by a seeded generator. A new format is one entry of
GOOD; a new trap is one line of TRAPS."""

import base64
import dataclasses
import json
import random
import struct
import zlib

SEED = 7


@dataclasses.dataclass
class Case:
    name: str  # of the case and, with its extension, of the file
    data: bytes
    error: str = ""  # regular expression of the error; if empty, the file may also be readable
    beside: dict = dataclasses.field(default_factory=dict)  # further files, relative to its folder
    kind: str = "import"  # "terrain": used as a heightmap in a scenario


def cube_obj() -> bytes:
    corners = "".join(f"v {i & 1} {i >> 1 & 1} {i >> 2 & 1}\n" for i in range(8))
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return (corners + "o cube\n" + "".join("f " + " ".join(str(i + 1) for i in quad) + "\n" for quad in quads)).encode()


TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def text_stl() -> bytes:
    facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % TETRAHEDRON[i] for i in face) +
                     "endloop\nendfacet\n" for face in FACES)
    return f"solid tetra\n{facets}endsolid tetra\n".encode()


def binary_stl(triangles=None, count=None) -> bytes:
    if triangles is None:
        triangles = [[TETRAHEDRON[i] for i in face] for face in FACES]
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *a, *b, *c, 0) for a, b, c in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles) if count is None else count) + body


def dae(geometry="", nodes='<node id="a" name="tip"><instance_geometry url="#g"/></node>', count=12, faces=4,
        numbers="0 0 0 1 0 0 0 1 0 0 0 1", prologue="", unit="1", indices="0 2 1 0 1 3 0 3 2 1 2 3", library="") -> bytes:
    return f'''<?xml version="1.0"?>{prologue}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="{count}">{numbers}</float_array><technique_common>
<accessor source="#pa" count="{count // 3}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{faces}"><input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></triangles>
</mesh></geometry>{geometry}</library_geometries>{library}
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>'''.encode()


def tetrahedron_buffer(corners=TETRAHEDRON) -> bytes:
    return b"".join(struct.pack("<3f", *corner) for corner in corners) + struct.pack("<12H", *sum(FACES, ()))


def gltf_tree(uri=None, **changes) -> dict:
    tree = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "tip", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "buffers": [{"byteLength": 72, **({"uri": uri} if uri else {})}]}
    tree.update(changes)
    return tree


def gltf(uri=None, corners=TETRAHEDRON, **changes) -> bytes:
    inline = "data:application/octet-stream;base64," + base64.b64encode(tetrahedron_buffer(corners)).decode()
    return json.dumps(gltf_tree(uri or inline, **changes)).encode()


def glb(length=None, buffer=None) -> bytes:
    text = json.dumps(gltf_tree()).encode()
    text += b" " * (-len(text) % 4)
    buffer = tetrahedron_buffer() if buffer is None else buffer
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(buffer), 0x004E4942) + buffer
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks) if length is None else length) + chunks


def png(width=8, height=8, depth=8, rows=None) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + bytes((x * y) % 256 for x in range(8)) for y in range(8)) if rows is None else rows
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def damaged(data: bytes, generator: random.Random) -> bytes:
    """A copy with a few bytes changed, a range removed, repeated or filled, or extreme numbers."""
    result = bytearray(data)
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(result))
        length = min(generator.randint(1, 40), len(result) - at)
        way = generator.randrange(5)
        if way == 0:
            result[at] = generator.randrange(256)
        elif way == 1:
            del result[at:at + length]
        elif way == 2:
            result[at:at] = result[at:at + length]
        elif way == 3:
            result[at:at + length] = bytes([generator.choice([0, 255, 48, 57])]) * length
        else:
            result[at:at + 1] = generator.choice([b"1e308", b"-1", b"nan", b"4294967295", b"#1", b"'", b"<", b"{", b"inf"])
        if not result:
            result = bytearray(b"x")
    return bytes(result)


def generated(ending: str, good: bytes, kind: str, amounts: tuple) -> list:
    """`amounts`: numbers of truncated and of damaged files."""
    generator = random.Random(f"{SEED} {ending}")
    cuts = [Case(f"truncated-{i}{ending}", good[:len(good) * (i + 1) // (amounts[0] + 2)], kind=kind)
            for i in range(amounts[0])]
    return cuts + [Case(f"damaged-{i}{ending}", damaged(good, generator), kind=kind) for i in range(amounts[1])]


def entity_bomb(levels=12) -> str:
    lines = ['<!ENTITY e0 "0 0 0 0 0 0 0 0 0 0">']
    lines += [f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, levels)]
    return "<!DOCTYPE COLLADA [" + "".join(lines) + "]>"


def node_bomb(levels=40) -> str:
    """Each node contains the next one twice."""
    return "".join(f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>'
                   for i in range(levels)) + f'<node id="n{levels}"><instance_geometry url="#g"/></node>'


NAN = float("nan")
NAN_TRIANGLE = [[(NAN, 0, 0), (1, 0, 0), (0, 1, 0)]]
FLAT_TRIANGLE = [[(0, 0, 0), (0, 0, 0), (0, 0, 0)]]


def step_data(step: bytes, old: bytes, new: bytes) -> bytes:
    assert old in step, old
    return step.replace(old, new)


def step_traps(step: bytes) -> list:
    begin = step.index(b"DATA;") + 5
    header, rest = step[:begin], step[step.index(b"ENDSEC;", begin):]
    reference = (b"#900001=DOCUMENT_FILE('../secret.step','',$,#900002,'','');\n#900002=DOCUMENT_TYPE('');\n")
    return [
        Case("empty-data.step", header + b"\n" + rest, "no shapes|syntax"),
        Case("header-only.step", b"ISO-10303-21;\n", "syntax"),
        Case("not-step.step", b"hello\n", "syntax"),
        Case("references-itself.step", header + b"\n#1=SHAPE_REPRESENTATION('',(#1,#1),#1);\n#2=PRODUCT('','','',(#2));\n" + rest,
             "no shapes"),
        Case("references-in-a-circle.step",
             header + b"\n" + b"".join(b"#%d=ADVANCED_FACE('',(#%d),#%d,.T.);\n" % (i, i % 9 + 1, i) for i in range(1, 10)) + rest,
             "no shapes"),
        Case("dangling-references.step", header + b"\n#1=CLOSED_SHELL('',(#77,#78,#79));\n#2=MANIFOLD_SOLID_BREP('',#1);\n" + rest,
             "no shapes"),
        Case("deep-nesting.step", header + b"\n#1=X(" + b"(" * 200_000 + b")" * 200_000 + b");\n" + rest, r".+"),
        Case("a-million-entities.step", header + b"\n" + b"".join(b"#%d=CARTESIAN_POINT('',(0.,0.,0.));\n" % i
                                                                  for i in range(1, 300_000)) + rest, "no shapes"),
        Case("names-a-file-outside.step", step.replace(b"\nENDSEC;\nEND-ISO", b"\n" + reference + b"ENDSEC;\nEND-ISO")),
        Case("number-without-end.step", step.replace(b"CARTESIAN_POINT('',(", b"CARTESIAN_POINT('',(1e400,", 5)),
        Case("nan-points.step", step.replace(b"CARTESIAN_POINT('',(0.,0.,0.))", b"CARTESIAN_POINT('',(nan,0.,0.))")),
        Case("huge-points.step", step.replace(b"CARTESIAN_POINT('',(0.,0.,0.))", b"CARTESIAN_POINT('',(1.E300,0.,0.))")),
        Case("endless-string.step", header + b"\n#1=PRODUCT('" + b"x" * 3_000_000, r".+"),
        Case("zero-radius.step", step.replace(b",5.)", b",0.)")),
        Case("negative-radius.step", step.replace(b",5.)", b",-5.)")),
    ]


def traps() -> list:
    cube = cube_obj()
    return [
        Case("empty.obj", b"", "no faces"), Case("empty.stl", b"", ".+"), Case("empty.dae", b"", ".+"),
        Case("empty.gltf", b"", ".+"), Case("empty.glb", b"", ".+"), Case("empty.step", b"", ".+"),
        Case("only-zeros.obj", b"\0" * 5000, ".+"), Case("only-zeros.dae", b"\0" * 5000, ".+"),
        Case("only-zeros.gltf", b"\0" * 5000, ".+"), Case("only-zeros.stl", b"\0" * 5000, ".+"),
        Case("unknown.xyz", b"hello", "the format of the file is not supported"),

        Case("nan.obj", cube.replace(b"v 1 1 1", b"v nan 1 1"), "not a number"),
        Case("infinite.obj", cube.replace(b"v 1 1 1", b"v inf 1 1"), "expected"),
        Case("index-too-large.obj", cube + b"f 1 2 1000000000\n", "references vertex 1000000000"),
        Case("index-zero.obj", cube + b"f 0 1 2\n", "references vertex 0"),
        Case("index-overflow.obj", cube + b"f 99999999999999999999 1 2\n", "not a corner"),
        Case("without-area.obj", b"v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", ".+"),
        Case("flat.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
        Case("face-without-end.obj", cube + b"f" + b" 1 2 3" * 1_000_000 + b"\n", "more than 2000000 triangles"),
        Case("too-many-vertices.obj", b"v 0 0 0\n" * 1_000_002 + b"f 1 2 3\n", "more than 1000000 vertices"),
        Case("too-many-groups.obj", cube + b"".join(b"g %d\nf 1 2 3\n" % i for i in range(150_000)), ".+"),
        Case("names-files-outside.obj", b"mtllib ../secret.mtl\nmtllib /etc/passwd\n" + cube),
        Case("calls-a-file.obj", b"call ../secret.obj\n" + cube, "refers to another file"),
        Case("materials-from-a-pipe.obj", b"mtllib pipe\n" + cube, beside={"pipe": None}),
        Case("long-name.obj", b"o " + b"x" * 1_000_000 + b"\n" + cube),
        Case("name-with-escapes.obj", b"o ../../\x1b[31mred\x00\n" + cube),
        Case("name-without-utf8.obj", b"o \xff\xfe\xc3\n" + cube),

        Case("claims-a-billion.stl", binary_stl(count=1_000_000_000), "1000000000 triangles take"),
        Case("claims-too-few.stl", binary_stl(count=1), "triangles take"),
        Case("nan-binary.stl", binary_stl(NAN_TRIANGLE), "expected coordinates"),
        Case("without-area-binary.stl", binary_stl(FLAT_TRIANGLE), ".+"),
        Case("nan-text.stl", text_stl().replace(b"vertex 1 0 0", b"vertex nan 0 0"), "not a number"),
        Case("solid-without-end.stl", b"solid " * 100_000, ".+"),
        Case("huge-coordinates.stl", binary_stl([[(3e38, 0, 0), (0, 3e38, 0), (0, 0, 3e38)]]), "expected coordinates"),

        Case("entity-bomb.dae", dae(prologue=entity_bomb(), numbers="&e11;"), ".+"),
        Case("external-entity.dae", dae(prologue='<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', numbers="&e;"), ".+"),
        Case("claims-a-billion.dae", dae(count=3_000_000_000), ".+"),
        Case("claims-a-billion-faces.dae", dae(faces=1_000_000_000)),
        Case("nan.dae", dae(numbers="nan 0 0 1 0 0 0 1 0 0 0 1"), ".+"),
        Case("index-outside.dae", dae(indices="0 2 1 0 1 3 0 3 2 1 2 999999999"), ".+"),
        Case("node-in-itself.dae", dae(nodes='<node id="a"><instance_node url="#a"/><instance_geometry url="#g"/></node>')),
        Case("node-bomb.dae", dae(library=f"<library_nodes>{node_bomb()}</library_nodes>",
                                  nodes='<node id="r"><instance_node url="#n0"/></node>'), ".+"),
        Case("deep-nodes.dae", dae(nodes="<node>" * 5000 + '<instance_geometry url="#g"/>' + "</node>" * 5000), ".+"),
        Case("deep-xml.dae", b"<COLLADA>" + b"<a>" * 300_000, ".+"),
        Case("unit-zero.dae", dae(unit="0"), ".+"), Case("unit-nan.dae", dae(unit="nan"), ".+"),
        Case("names-a-file-outside.dae", dae(nodes='<node id="a"><instance_geometry url="../secret.dae#g"/></node>'), ".+"),
        Case("matrix-of-nan.dae", dae(nodes='<node id="a"><matrix>nan 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>'
                                            '<instance_geometry url="#g"/></node>'), ".+"),
        Case("matrix-of-zeros.dae", dae(nodes='<node id="a"><matrix>0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1</matrix>'
                                              '<instance_geometry url="#g"/></node>'), ".+"),

        Case("buffer-outside.gltf", gltf("../secret.bin"), "leaves the folder"),
        Case("buffer-absolute.gltf", gltf("/etc/passwd"), "absolute path"),
        Case("buffer-encoded-outside.gltf", gltf("..%2Fsecret.bin"), ".+"),
        Case("buffer-by-url.gltf", gltf("file:///etc/passwd"), ".+"),
        Case("buffer-missing.gltf", gltf("none.bin"), "does not exist"),
        Case("buffer-too-short.gltf", gltf("short.bin"), ".+", {"short.bin": b"\0" * 10}),
        Case("buffer-by-link.gltf", gltf("link.bin"), "leaves the folder", {"link.bin": "../secret.bin"}),
        Case("buffer-from-a-pipe.gltf", gltf("pipe"), "not a regular file", {"pipe": None}),
        Case("claims-a-billion.gltf", gltf(accessors=[
            {"bufferView": 0, "componentType": 5126, "count": 1_000_000_000, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]), ".+"),
        Case("buffer-of-4-gb.gltf", gltf(buffers=[{"byteLength": 4_294_967_295, "uri": "data:,"}]), ".+"),
        Case("view-outside.gltf", gltf(bufferViews=[{"buffer": 0, "byteOffset": 4_000_000_000, "byteLength": 48},
                                                    {"buffer": 0, "byteOffset": 48, "byteLength": 24}]), ".+"),
        Case("indices-outside.gltf", gltf(accessors=[
            {"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]), ".+"),
        Case("nan.gltf", gltf(corners=[(NAN, 0, 0), *TETRAHEDRON[1:]]), ".+"),
        Case("node-in-itself.gltf", gltf(nodes=[{"mesh": 0, "children": [0]}]), ".+"),
        Case("nodes-in-a-circle.gltf", gltf(nodes=[{"children": [1]}, {"mesh": 0, "children": [0]}]), ".+"),
        Case("mesh-missing.gltf", gltf(nodes=[{"mesh": 7}]), ".+"),
        Case("deep-json.gltf", b'{"asset":' + b"[" * 500_000, ".+"),
        Case("claims-4-gb.glb", glb(length=4_294_967_295)),
        Case("without-buffer.glb", glb(buffer=b""), ".+"),
        Case("only-magic.glb", b"glTF", ".+"),

        Case("claims-a-billion-pixels.png", png(1_000_000, 1_000_000), ".+", kind="terrain"),
        Case("bomb.png", png(4096, 4096, rows=b"\0" * 200_000_000), ".+", kind="terrain"),
        Case("no-pixels.png", png(0, 0), ".+", kind="terrain"),
        Case("one-pixel.png", png(1, 1, rows=b"\0\0"), ".+", kind="terrain"),
        Case("depth-of-3.png", png(depth=3), ".+", kind="terrain"),
        Case("empty.png", b"", ".+", kind="terrain"),
        Case("not-a-image.png", b"hello", ".+", kind="terrain"),
    ]


def all_cases(step: bytes) -> list:
    good = [(".obj", cube_obj(), "import", (4, 14)), (".stl", text_stl(), "import", (4, 10)),
            (".STL", binary_stl(), "import", (4, 10)), (".dae", dae(), "import", (6, 18)),
            (".gltf", gltf(), "import", (6, 18)), (".glb", glb(), "import", (6, 14)),
            (".step", step, "import", (8, 30)), (".png", png(), "terrain", (5, 12))]
    cases = traps() + step_traps(step)
    for ending, data, kind, amounts in good:
        cases += generated(ending, data, kind, amounts)
    return cases


def good_files(step: bytes) -> list:
    """The valid files that the others are made from: these must be readable."""
    return [Case("good.obj", cube_obj()), Case("good.stl", text_stl()), Case("good-binary.stl", binary_stl()),
            Case("good.dae", dae()), Case("good.gltf", gltf()), Case("good.glb", glb()), Case("good.step", step),
            Case("good.png", png(), kind="terrain"),
            Case("good-beside.gltf", gltf("inside.bin"), beside={"inside.bin": tetrahedron_buffer()})]
