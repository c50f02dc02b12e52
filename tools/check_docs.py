#!/usr/bin/env python3
"""Checks the documentation: its links and its commands.

A code block marked `console` shows commands after "$ ". Those that begin with `lockstep`, `cc` or `python3` are run, page
by page, in a folder with copies of scenarios/ and examples/, and must end with exit code 0; `$ lockstep … # exits with 2` says
otherwise. They find the clients of this build as if they were installed. Those that begin with
`./dev` must name a command that `./dev help` lists. Other commands are for the reader. A block marked
with a language and a file name, such as "xml arm.xml", is what the reader is to write into that file; one with a path
below examples/, such as "cpp examples/embed/1_run.cc", shows lines of that file as they are; one with another path, such as
"cpp src/sensors/barometer.h", belongs to the sources (tests/recipes).

The environment is that of cmake/lockstep_module.cmake: LOCKSTEP, LOCKSTEP_SOURCE_DIR, LOCKSTEP_BUILD_DIR,
LOCKSTEP_SANITIZE.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE_BLOCK = re.compile(r"^```(\w*)(?: ([\w./-]+))?\n(.*?)^```", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*)$", re.M)
EXITS = re.compile(r"#\s*exits with (\d+)\s*$")
SECONDS_PER_COMMAND = 120
PROGRAMS = ("lockstep ", "cc ", "python3 ")


def blank_code(text: str) -> str:
    """The text with code blocks and `code` blanked; keeps the lines."""
    text = CODE_BLOCK.sub(lambda match: "\n" * match.group().count("\n"), text)
    return re.sub(r"`[^`\n]*`", lambda match: "x" * len(match.group()), text)


def anchors(text: str) -> set:
    """The anchors of the headings of a page, as on GitHub."""
    headings = HEADING.findall(CODE_BLOCK.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def check_links(page: Path) -> list:
    errors = []
    text = blank_code(page.read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        target, _, anchor = match[1].partition("#")
        line = text.count("\n", 0, match.start()) + 1
        if re.match(r"[a-z]+:", match[1]):
            continue
        file = page.parent / target if target else page
        if not file.exists():
            errors.append(f"{page}:{line}: link to '{match[1]}': there is no such file")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            errors.append(f"{page}:{line}: link to '{match[1]}': {file.name} has no such heading")
    return errors


def check_excerpts(page: Path, root: Path) -> list:
    """Blocks that show lines of a file in examples/ show what is there."""
    errors = []
    text = page.read_text(encoding="utf-8")
    for block in CODE_BLOCK.finditer(text):
        if not block[2] or not block[2].startswith("examples/"):
            continue
        line = text.count("\n", 0, block.start()) + 1
        file = root / block[2]
        if not file.exists():
            errors.append(f"{page}:{line}: there is no file '{block[2]}'")
        elif "\n" + block[3] not in "\n" + file.read_text(encoding="utf-8"):
            errors.append(f"{page}:{line}: these are not lines of '{block[2]}'")
    return errors


def commands(block: re.Match, text: str) -> list:
    """The (line, command) pairs of a console block."""
    first = text.count("\n", 0, block.start(3)) + 1
    joined = block[3].replace("\\\n", "\0")
    return [(first + joined.count("\n", 0, match.start()) + joined.count("\0", 0, match.start()),
             match[1].replace("\0", ""))
            for match in re.finditer(r"^\$ (.*)$", joined, re.M)]


def make_programs(folder: Path, lockstep: str) -> None:
    """Programs for the PATH: the lockstep of this build, and a compiler that finds its client library."""
    folder.mkdir()
    (folder / "lockstep").symlink_to(lockstep)
    sanitize = os.environ.get("LOCKSTEP_SANITIZE")
    flags = [f"-I{os.environ.get('LOCKSTEP_SOURCE_DIR')}/clients/c", f"-L{os.environ.get('LOCKSTEP_BUILD_DIR')}/clients/c",
             *([f"-fsanitize={sanitize}"] if sanitize else [])]
    compiler = folder / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {shutil.which("cc")} {shlex.join(flags)} "$@"\n', encoding="utf-8")
    compiler.chmod(0o755)


def check_commands(page: Path, lockstep: str, root: Path, dev_help: str) -> list:
    errors = []
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        bin_folder = work / ".bin"
        make_programs(bin_folder, lockstep)
        for name in ("scenarios", "examples"):
            if (root / name).exists():
                shutil.copytree(root / name, work / name)
        for block in CODE_BLOCK.finditer(text):
            if block[2] and "/" not in block[2]:
                (work / block[2]).write_text(block[3], encoding="utf-8")
            if block[1] != "console":
                continue
            for line, command in commands(block, text):
                if command.startswith("./dev"):
                    name = (command.split() + [""])[1]
                    if not re.search(rf"^  {re.escape(name)}\b", dev_help, re.M):
                        errors.append(f"{page}:{line}: './dev help' lists no '{name}'")
                elif command.startswith(PROGRAMS):
                    errors += [f"{page}:{line}: {error}" for error in run(command, work, bin_folder)]
    return errors


def run(command: str, work: Path, bin_folder: Path) -> list:
    expected = int(match[1]) if (match := EXITS.search(command)) else 0
    built = (bin_folder / "lockstep").resolve().parent  # the controllers of examples/ are beside the command
    environment = os.environ | {"PATH": f"{bin_folder}:{built}:{os.environ['PATH']}",
                                "PYTHONPATH": f"{os.environ.get('LOCKSTEP_SOURCE_DIR')}/clients/python"}
    try:
        done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=SECONDS_PER_COMMAND, check=False)
    except subprocess.TimeoutExpired:
        return [f"'{command}' took over {SECONDS_PER_COMMAND} s"]
    if done.returncode == expected:
        return []
    return [f"'{command}' exited with {done.returncode}, expected {expected}\n{done.stdout}{done.stderr}"]


def main() -> int:
    root = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
    pages = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("scenarios/**/*.md"),
                    *root.glob("examples/**/*.md")])
    dev_help = subprocess.run([root / "dev", "help"], capture_output=True, text=True, check=True).stdout
    errors = []
    for page in pages:
        errors += check_links(page)
        errors += check_excerpts(page, root)
        errors += check_commands(page, os.environ["LOCKSTEP"], root, dev_help)
    print("\n".join(errors + [f"{len(pages)} pages, {len(errors)} errors"]))
    return 1 if errors or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
