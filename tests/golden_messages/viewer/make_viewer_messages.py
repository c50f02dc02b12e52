#!/usr/bin/env python3
"""Golden messages of the viewer protocol (docs/viewer-protocol.md), for the server in C++ and the page in TypeScript.

    tests/golden_messages/viewer/make_viewer_messages.py [--check]

- NAME.json says what a state message means; NAME.bin, written from it here without a line of Lockstep, are its bytes.
- texts.json has one example of each text message. web/src/golden_messages_testing.ts is the same as TypeScript, where the
  compiler holds it to the types of the page; tests/serve/check_golden_messages.py holds the server to it.

--check writes nothing and fails if a file is not what it would write.
"""

import json
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "web/src/golden_messages_testing.ts"

POSES, CONTACTS, RAYS, ROWS_LOST = 1, 2, 4, 8
TYPES = {"scene": "Scene", "status": "Status", "files": "ScenarioFile[]", "gallery": "GalleryItem[]",
         "attributes": "Attribute[]"}


def encode(message: dict) -> bytes:
    flags = sum(bit for bit, key in ((POSES, "poses"), (CONTACTS, "contacts"), (RAYS, "rays")) if message[key] is not None)
    flags |= ROWS_LOST if message["rows_lost"] else 0
    data = b"LKV1" + struct.pack("<IqdI", message["scene"], message["step"], message["time"], flags)
    for key, width in (("poses", 7), ("joints", 1), ("contacts", 6), ("rays", 6)):
        numbers = message[key] or []
        data += struct.pack(f"<I{len(numbers)}f", len(numbers) // width, *numbers)
    data += struct.pack("<II", len(message["rows"]), message["signals"])
    for row in message["rows"]:
        data += struct.pack(f"<{1 + message['signals']}d", *row)
    return data


def typescript(texts: dict) -> str:
    names = sorted({name.removesuffix("[]") for name in TYPES.values()})
    lines = ["// One example of each text message of the viewer protocol, for tests. Made by",
             "// tests/golden_messages/viewer/make_viewer_messages.py from texts.json; every change here is lost.",
             f'import type {{ {", ".join(names)} }} from "./protocol.ts";', ""]
    for key, kind in TYPES.items():
        lines.append(f"export const golden{key.capitalize()} = {json.dumps(texts[key])} satisfies {kind};")
    return "\n".join(lines) + "\n"


def main() -> int:
    wanted = {PAGE: typescript(json.loads((HERE / "texts.json").read_text(encoding="utf-8"))).encode()}
    for file in sorted(HERE.glob("*.json")):
        if file.name != "texts.json":
            wanted[file.with_suffix(".bin")] = encode(json.loads(file.read_text(encoding="utf-8")))
    stale = [file for file, data in wanted.items() if not file.exists() or file.read_bytes() != data]
    for file in stale:
        if "--check" in sys.argv:
            print(f"{file} is out of date; run {Path(__file__).name}")
        else:
            file.write_bytes(wanted[file])
    return 1 if "--check" in sys.argv and stale else 0


if __name__ == "__main__":
    sys.exit(main())
