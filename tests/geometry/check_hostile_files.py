#!/usr/bin/env python3
"""No file, however broken, crashes or hangs `lockstep`, or makes it read outside of its folder; each gives one error."""

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hostile_files

LOCKSTEP = os.environ["LOCKSTEP"]
MAKE_SHAPES = sys.argv[1]
TIME_LIMIT = 170  # s; that of the reader is 120
LEAST = 200

SECRETS = {  # valid files outside of the folder: reading one would succeed or show its content
    "secret.bin": hostile_files.tetrahedron_buffer(),
    "secret.mtl": b"newmtl x\nKd 0.123 0.456 0.789\n",
    "secret.obj": hostile_files.cube_obj(),
    "secret.dae": hostile_files.dae(),
}


def place(folder: Path, case: hostile_files.Case) -> Path:
    inside = folder / "inside"
    inside.mkdir()
    for name, data in SECRETS.items():
        (folder / name).write_bytes(data)
    for name, data in case.beside.items():
        if data is None:
            os.mkfifo(inside / name)
        elif isinstance(data, str):
            (inside / name).symlink_to(data)
        else:
            (inside / name).write_bytes(data)
    file = inside / case.name
    file.write_bytes(case.data)
    if case.kind == "terrain":
        (inside / "scenario.xml").write_text(f'<scenario><terrain src="{case.name}" size="1 1 1"/></scenario>')
    return file


def problems(case: hostile_files.Case, must_be_read: bool) -> list:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = place(folder, case)
        command = (["import", file, "-o", file.parent / "result.xml"] if case.kind == "import"
                   else ["check", file.parent / "scenario.xml"])
        before = time.monotonic()
        try:
            result = subprocess.run([LOCKSTEP, *map(str, command)], capture_output=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return ["hangs"]
        took = time.monotonic() - before
        text = result.stderr.decode(errors="replace")
        if took > 30:
            print(f"note: {case.name} took {took:.0f} s", flush=True)
        found = []
        if must_be_read and result.returncode != 0:
            found.append("a valid file is not read")
        if result.returncode not in (0, 2):
            found.append(f"ends with {result.returncode}")
        if result.returncode == 0 and case.error:
            found.append("is read, but must be rejected")
        if result.returncode == 2:
            lines = [line for line in text.splitlines() if ": error: " in line]
            if len(lines) != 1 or len(text.splitlines()) != 1 or len(text) > 600:
                found.append("does not give exactly one error")
            if case.error and not re.search(case.error, text):
                found.append(f"is rejected with an error other than '{case.error}'")
        if any(ord(c) < 32 and c != "\n" for c in text + result.stdout.decode(errors="replace")):
            found.append("control characters reach the terminal")
        if "root:" in text or "0.123" in text:
            found.append("shows content from outside of the folder")
        written = file.parent / "result.xml"
        if written.exists() and result.returncode != 0:
            found.append("leaves a result behind")
        return [f"{each}: {text.strip()[:400]}" for each in found]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        step = Path(name) / "good.step"
        subprocess.run([MAKE_SHAPES, step], check=True, stdout=subprocess.DEVNULL)
        data = step.read_bytes()
    cases = [(case, False) for case in hostile_files.all_cases(data)]
    cases += [(case, True) for case in hostile_files.good_files(data)]
    if len(sys.argv) > 2:
        cases = [each for each in cases if re.search(sys.argv[2], each[0].name)]
    elif len(cases) < LEAST:
        print(f"only {len(cases)} files")
        return 1
    failures = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for (case, _), found in zip(cases, pool.map(lambda each: problems(*each), cases)):
            for problem in found:
                print(f"{case.name}: {problem}")
                failures += 1
    print(f"{len(cases)} files, {failures} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
