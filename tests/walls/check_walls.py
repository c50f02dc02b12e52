#!/usr/bin/env python3
"""Checks the allowed dependencies between the folders of src/ (docs/developing.md), by #include lines and a few words.

    check_walls.py SRC      prints each violation as file:line: text, and exits with 1 if there is any

What a folder may use and who may use a third-party library is said in src/folders.txt. The public headers,
include/lockstep beside SRC, are held to it as well: they are few, documented, and include only each other, the standard
library, Eigen and fmt.
"""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Iterator, NamedTuple

TABLE = Path(__file__).resolve().parents[2] / "src" / "folders.txt"


class Library(NamedTuple):
    name: str
    headers: list  # patterns of the text between < and >
    folders: list  # folders that may include it; "*" for all


def read_table(path: Path) -> tuple:
    """The rows of src/folders.txt: what each folder may use, who may use a library, the folder of a public header."""
    folders, libraries, public, section = {}, [], {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        columns = re.split("  +", line.strip())
        if section == "folders":
            folder, uses = columns
            folders[folder] = list(folders) if uses == "*" else [] if uses == "-" else uses.split()
        elif section == "public":
            public[f"lockstep/{columns[0]}"] = columns[1]
        else:
            name, headers, _, users = columns
            libraries.append(Library(name, headers.split(), users.split()))
    return folders, libraries, public


FOLDERS, LIBRARIES, PUBLIC = read_table(TABLE)
TEST_LIBRARY = r"gtest/|gmock/"

# Headers of C, C++ and the operating system: <vector>, <unistd.h>, <sys/socket.h>.
SYSTEM_HEADER = re.compile(
    r"[a-z_]+$"
    r"|(sys|linux|netinet|arpa|net)/"
    r"|(unistd|fcntl|grp|netdb|signal|time|poll|pthread|sched|termios|dirent|dlfcn|spawn|cxxabi|execinfo|malloc)\.h$")


class Word(NamedTuple):
    pattern: str
    allowed: str  # regular expression of the files that may use it
    why: str


CLOCKS = r"steady_clock|high_resolution_clock|clock_gettime|gettimeofday|sleep_for|sleep_until|nanosleep|usleep"
WORDS = [
    Word(r"\bs?rand\s*\(|\brandom_device\b|\bmt19937(?:_64)?\b|\bdefault_random_engine\b", r"$^",
         "random numbers come from lockstep/state.h"),
    Word(r"\bsystem_clock\b|\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)", r"$^",
         "nothing in a simulation depends on the date"),
    Word(rf"\b(?:{CLOCKS})\b", r"base/(child_process|progress_line)\.|simulation/(pacing|runner|point_mass_testing)\.|connection/(?!remote_controller)|serve/|study/mpi_module|suite/case_run\.|bench/|render/|cli/|.*_test\.cc$",
         "the wall clock is known to child processes and progress lines in base/, simulation/pacing, simulation/runner, the wires in connection/ and study/, the limit of a case in suite/, serve/, bench/, render/ and cli/ only"),
]

MAX_LINES = 600
MAX_PUBLIC_HEADERS = 15
MIN_COMMENTS = 0.5  # lines with a comment for each line with code, in a public header
# Headers that only their own folder includes.
PRIVATE_HEADER = re.compile(r"(?!physics/mujoco/(render/)?mujoco_(engine|renderer)\.h$)"
                            r"(cli/|bench/|serve/|physics/mujoco/|geometry/reader/|.*_internal\.h$|.*_testing\.h$)")
TEST_FILE = re.compile(r".*(_test\.cc|_testing\.h|_testing\.cc)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)
# Comments and raw strings, which are not searched for words and #include lines.
COMMENT_OR_RAW = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]*)\(.*?\)\1"', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


class Violation(NamedTuple):
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        folder = "include" if self.file.startswith("lockstep/") else "src"
        return f"{folder}/{self.file}:{self.line}: {self.text}"


class Include(NamedTuple):
    line: int
    path: str
    is_ours: bool  # written with quotes


class Source:
    """One file of src/ or include/, with comments blanked out."""

    def __init__(self, root: Path, path: Path):
        self.name = path.relative_to(root).as_posix()
        self.folder = PUBLIC.get(self.name) or path.parent.relative_to(root).as_posix()
        self.is_public = self.name.startswith("lockstep/")
        self.is_test = TEST_FILE.match(self.name) is not None
        text = path.read_text(encoding="utf-8")
        self.lines = text.count("\n")
        code = COMMENT_OR_RAW.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        self.includes = [Include(code.count("\n", 0, match.start()) + 1, match[1] or match[2], bool(match[1]))
                         for match in INCLUDE.finditer(code)]
        self.code = STRING.sub('""', code)
        self.code_lines = sum(1 for line in code.splitlines() if line.strip())
        self.comment_lines = sum(1 for line in text.splitlines() if "//" in line)


def read_sources(root: Path) -> list:
    include = root.parent / "include"
    return [Source(top, path) for top in (include, root) for path in sorted(top.rglob("*")) if path.suffix in (".h", ".cc")]


def check(root: Path) -> list:
    sources = read_sources(root)
    violations = check_public([source for source in sources if source.is_public])
    for source in sources:
        violations += check_folder(source)
        violations += check_libraries(source)
        violations += check_words(source)
        if source.lines > MAX_LINES:
            violations.append(Violation(source.name, MAX_LINES, f"{source.lines} lines; split it (at most {MAX_LINES})"))
    return violations + list(find_cycles(sources))


def check_public(headers: list) -> list:
    violations = []
    if len(headers) > MAX_PUBLIC_HEADERS:
        violations.append(Violation(headers[-1].name, 1, f"{len(headers)} public headers; at most {MAX_PUBLIC_HEADERS}"))
    for header in headers:
        for include in header.includes:
            if include.is_ours and include.path not in PUBLIC:
                violations.append(Violation(header.name, include.line, f"a public header includes {include.path}, which is not"))
        if header.comment_lines < MIN_COMMENTS * header.code_lines:
            violations.append(Violation(header.name, 1, f"{header.comment_lines} lines with a comment for {header.code_lines} "
                                        f"of code; at least {MIN_COMMENTS} for each"))
    return violations


def check_folder(source: Source) -> Iterator[Violation]:
    if source.is_public and source.name not in PUBLIC:
        yield Violation(source.name, 1, "a public header without a row in src/folders.txt")
        return
    if source.folder not in FOLDERS:
        yield Violation(source.name, 1, f"folder '{source.folder}' has no row in src/folders.txt")
        return
    allowed = FOLDERS[source.folder]
    for include in source.includes:
        if not include.is_ours:
            continue
        folder, _, header = include.path.rpartition("/")
        if not folder:
            yield Violation(source.name, include.line, f'"{header}" must be written with its folder')
        elif is_shared(source) and PRIVATE_HEADER.match(include.path):
            yield Violation(source.name, include.line, f"a header for other folders includes the private {include.path}")
        elif PUBLIC.get(include.path, folder) == source.folder or source.is_test:
            continue
        elif not {PUBLIC.get(include.path, folder), include.path} & set(allowed):
            can = ", ".join(allowed) or "nothing"
            yield Violation(source.name, include.line,
                            f"{source.folder}/ may not include {include.path}; it may use {can}")


def is_shared(source: Source) -> bool:
    return source.name.endswith(".h") and not PRIVATE_HEADER.match(source.name)


def check_libraries(source: Source) -> Iterator[Violation]:
    for include in source.includes:
        if include.is_ours or SYSTEM_HEADER.match(include.path):
            continue
        if re.match(TEST_LIBRARY, include.path):
            if not source.is_test:
                yield Violation(source.name, include.line, "only *_test.cc and *_testing.h include the test library")
            continue
        library = next((each for each in LIBRARIES if any(fnmatch(include.path, header) for header in each.headers)), None)
        if library is None:
            yield Violation(source.name, include.line,
                            f"<{include.path}> belongs to no library in src/folders.txt")
        elif "*" in library.folders:
            continue
        elif source.folder not in library.folders:
            yield Violation(source.name, include.line,
                            f"only {' and '.join(library.folders)} may include {library.name}")
        elif is_shared(source):
            yield Violation(source.name, include.line,
                            f"a header with {library.name} in it is private: name it *_internal.h")


def check_words(source: Source) -> Iterator[Violation]:
    for word in WORDS:
        if re.match(word.allowed, source.name):
            continue
        for match in re.finditer(word.pattern, source.code):
            line = source.code.count("\n", 0, match.start()) + 1
            yield Violation(source.name, line, f"'{match.group()}': {word.why}")


def find_cycles(sources: list) -> Iterator[Violation]:
    """A cycle between folders, or between headers."""
    by_folder, by_file = {}, {}
    for source in sources:
        for include in source.includes:
            if not include.is_ours or source.is_test:
                continue
            by_file.setdefault(source.name, set()).add(include.path)
            folder = PUBLIC.get(include.path) or include.path.rpartition("/")[0]
            if folder != source.folder:
                by_folder.setdefault(source.folder, set()).add(folder)
    for graph in (by_folder, by_file):
        cycle = find_cycle(graph)
        if cycle:
            yield Violation(cycle[0], 1, "includes go round in a circle: " + " → ".join(cycle))


def find_cycle(graph: dict) -> list:
    done, path = set(), []

    def visit(node: str) -> list:
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return []
        path.append(node)
        for following in sorted(graph.get(node, ())):
            cycle = visit(following)
            if cycle:
                return cycle
        path.pop()
        done.add(node)
        return []

    return next((cycle for cycle in map(visit, sorted(graph)) if cycle), [])


def main() -> int:
    root = Path(sys.argv[1])
    violations = check(root)
    for violation in violations:
        print(violation)
    files = len(read_sources(root))
    print(f"{files} files, {len(violations)} violations")
    return 1 if violations or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
