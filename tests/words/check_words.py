#!/usr/bin/env python3
"""Words and phrases that the project does not use, in sources, docs, page, error texts and names, and what to write instead.

    tests/words/check_words.py [FILE…]

docs/glossary.md has the words for ideas. A phrase that runs over the end of a line is found, too.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
FOLDERS = ["src", "include", "docs", "web/src", "web/tests", "web/tools", "tests", "clients", "examples", "scenarios", "tools",
           "cmake"]
FILES = ["README.md", "CHANGELOG.md", "CMakeLists.txt", "dev"]
ENDINGS = {".h", ".cc", ".c", ".py", ".ts", ".md", ".xml", ".css", ".html", ".cmake", ".txt", ".lua", ".xsd", ".in", ""}

# (pattern, what to write instead). Patterns ignore case; \b is also the border of a word in CamelCase and snake_case.
PHRASES = [
    (r"(?<!there )\b(is|are|was|were|be) no (?!longer\b|more\b|matter\b|better\b|worse\b|such\b|farther\b|deeper\b)\w+",
     "is not a …"),
    (r"\b(left|leaves?|leaving) out\b", "omitted; optional, default …"),
    (r"\b(somebody|nobody|whoever)\b", "a client, the caller, no controller"),
    (r"\banew\b", "again, from scratch"),
    (r"\bmend(s|ed|ing)?\b", "fix, repair"),
    (r"\bforesee[ns]?\b", "predict"),
    (r"\brefus(e[sd]?|ing|als?)\b", "reject, rejection"),
    (r"\bwish(es|ed)?\b", "request, setting"),
    (r"\bobey(s|ed)?\b", "follow, handle"),
    (r"\bpictures?\b", "image"),
    (r"\bfilm(s|ed|er)?\b", "video"),
    (r"\bcameraman\b", "camera path"),
    (r"\b(stands?|stood) (in|at|there|before|inside|between|beside|around|here)\b", "is in, appears in"),
    (r"\bso (many|long) as\b|\bas fast as can be\b|\bflat out\b", "count; for this long; as fast as possible"),
    (r"\bso many (of|times|steps|seconds|rows)\b", "count"),
    (r"\blets? (it|them|a joint|the joint|a link) go\b|\b(let|lets) go\b|\btakes? (it|them) back\b", "detach, attach"),
    (r"\bmeans? nothing for\b", "does not apply to"),
    (r"\b(is|are) there twice\b", "appears twice"),
    (r"\bon the wall\b(?! clock)", "wall clock, real time"),
    (r"\b(its|this|that|the same|another) sort\b", "kind, category"),
    (r"\busual_", "default_"),
    (r"\bmodelling\b", "design"),
]
NAMES = [  # in identifiers, as written
    (r"\bk(Most|Longest|Largest)(?=[A-Z]|\b)", "kMax…"),
    (r"\b\w*(IsNo|AreNo)(?=[A-Z](?!o))(?!NoLonger)\w*", "IsNot…"),
]

# (file, words of the line, reason): what looks like one of them and is right.
EXCEPTIONS = [
    ("tests/words/check_words.py", "", "the list itself"),
    ("docs/embedding.md", "pendulum/stand", "the name of a link"),
    ("CHANGELOG.md", "| ", "the table of renames has the old names"),
    ("src/base/hash_test.cc", "Nobody inspects", "the text of a published test vector"),
    ("clients/python/lockstep_client.py", "ConnectionRefusedError", "a name of Python"),
    ("tests/clients/check_clients.py", "refused", "the words of the operating system"),
]


def spoken(text: str) -> str:
    """The text with the marks of comments and line ends made blanks, at the same positions; names taken apart."""
    text = re.sub(r"\n[ \t]*(///?<?|\*|#|--)?[ \t]*", lambda match: " " * len(match[0]), text)
    return re.sub(r"\s", " ", text)


def split_names(text: str) -> str:
    """CamelCase and snake_case as words."""
    return re.sub(r"_", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text))


def check(path: Path) -> list:
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    lines = text.splitlines()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def line_of(position: int) -> int:
        return next(i for i, start in enumerate(starts) if start > position)

    errors = {}
    flat = re.sub(r" {2,}", lambda match: " " + "\0" * (len(match[0]) - 1), spoken(text))
    packed = flat.replace("\0", "")
    places = [i for i, letter in enumerate(flat) if letter != "\0"]
    for pattern, instead in PHRASES:
        for match in re.finditer(pattern, packed, re.I):
            errors.setdefault((line_of(places[match.start()]), match[0]), instead)
    for number, line in enumerate(lines, 1):
        for pattern, instead in NAMES:
            for match in re.finditer(pattern, line):
                errors.setdefault((number, match[0]), instead)
        words = split_names(line)
        if words != line:
            for pattern, instead in PHRASES:
                for match in re.finditer(pattern, words.replace("Stand In", "StandIn").replace("stand in", "stand-in"), re.I):
                    errors.setdefault((number, match[0]), instead)
    return [f"{name}:{line}: '{' '.join(found.split())}'; write: {instead}" for (line, found), instead in sorted(errors.items())
            if not any(name == file and words in lines[line - 1] for file, words, _ in EXCEPTIONS)]


def all_files() -> list:
    found = [ROOT / file for file in FILES]
    for folder in FOLDERS:
        found += [file for file in sorted((ROOT / folder).rglob("*")) if file.is_file() and file.suffix in ENDINGS]
    return [file for file in found if not {"node_modules", "corpus", "__pycache__", "dist"} & set(file.parts)]


def main() -> int:
    files = [Path(argument).resolve() for argument in sys.argv[1:]] or all_files()
    errors = [error for file in files for error in check(file)]
    print("\n".join([*errors, f"{len(files)} files, {len(errors)} phrases"]))
    return 1 if errors or len(files) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
