"""A recipe of docs/developing.md: a heading and the code blocks below it that are marked with a file name.

A new file is written as given in the block. To an existing file the block is added: its #include lines to those of the
file, in their order, declarations to the declarations, and indented lines to the end of the last function.
"""

import re
from pathlib import Path
from typing import NamedTuple

FILE_BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```", re.M | re.S)
LAST_FUNCTION_ENDS = "}\n\n}  // namespace lockstep\n"


class Recipe(NamedTuple):
    heading: str
    files: dict  # path below the root of the tree: text of the block


def read_recipe(page: str, heading: str) -> Recipe:
    start = re.search(rf"^(#+) {re.escape(heading)}$", page, re.M)
    if start is None:
        raise ValueError(f"there is no heading '{heading}'")
    end = re.search(rf"^#{{1,{len(start[1])}}} ", page[start.end():], re.M)
    text = page[start.end():start.end() + end.start()] if end else page[start.end():]
    return Recipe(heading, dict(FILE_BLOCK.findall(text)))


def follow(recipe: Recipe, root: Path) -> None:
    for name, block in recipe.files.items():
        file = root / name
        if file.exists():
            block = add_to(file.read_text(encoding="utf-8"), block)
        file.write_text(block, encoding="utf-8")


def add_to(text: str, block: str) -> str:
    lines = block.splitlines(keepends=True)
    for line in (line for line in lines if line.startswith("#include")):
        ours = [each for each in text.splitlines(keepends=True) if each.startswith('#include "')]
        before = [each for each in ours[1:] if each < line]  # the first is the file's own header
        last = before[-1] if before else ours[0]
        text = text.replace(last, last + line, 1)
    for line in (line for line in lines if line[0] not in "# \n"):
        declared = [each for each in text.splitlines(keepends=True) if each[0].isalpha() and each.endswith(");\n")]
        if not declared:
            raise ValueError("the file declares nothing")
        text = text.replace(declared[-1], declared[-1] + line, 1)
    rest = "".join(line for line in lines if line.startswith(" "))
    if not text.endswith(LAST_FUNCTION_ENDS):
        raise ValueError("the file does not end with a function")
    return text[:-len(LAST_FUNCTION_ENDS)] + rest + LAST_FUNCTION_ENDS
