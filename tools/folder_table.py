#!/usr/bin/env python3
"""Writes the table of folders in docs/architecture.md from src/folders.txt.

    tools/folder_table.py            brings the page up to date
    tools/folder_table.py --check    changes nothing; exits with 1 and shows the difference if it is not

The table is between the two marks below.
"""

import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
TABLE = ROOT / "src" / "folders.txt"
BEGIN = "<!-- begin of the table that tools/folder_table.py makes from src/folders.txt -->\n"
END = "<!-- end of the table -->\n"


def read_rows(text: str) -> tuple:
    """What each folder may use, which libraries (one that all may use is not listed), and its public headers."""
    uses, libraries, public, section = {}, {}, {}, ""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        columns = re.split("  +", line.strip())
        if section == "folders":
            uses[columns[0]] = columns[1]
        elif section == "public":
            public.setdefault(columns[1], []).append(columns[0])
        else:
            for folder in columns[3].split():
                libraries.setdefault(folder, []).append(columns[0])
    return uses, libraries, public


def shown(use: str) -> str:
    return f"`{use}`" if use.endswith(".h") else f"`{use}/`"


def make_table(text: str) -> str:
    uses, libraries, public = read_rows(text)
    lines = ["| folder | may use | own libraries | public headers |", "|---|---|---|---|"]
    for folder, use in uses.items():
        if use == "*":
            what = "every folder above"
        elif use == "-":
            what = "nothing of ours"
        else:
            what = ", ".join(map(shown, use.split()))
        headers = ", ".join(f"`{header}`" for header in public.get(folder, []))
        row = f"| `{folder}/` | {what} | {', '.join(libraries.get(folder, []))} | {headers} |"
        lines.append(row.replace("|  |", "| |").replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    made = before + BEGIN + make_table(TABLE.read_text(encoding="utf-8")) + END + after
    if made == page:
        return 0
    if sys.argv[1:] == ["--check"]:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), made.splitlines(True), "docs/architecture.md",
                                                   "what src/folders.txt says"))
        print("run tools/folder_table.py")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
