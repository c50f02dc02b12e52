#!/usr/bin/env python3
"""Turns the built page into one C++ file that carries it, compressed.

    embed_page.py DIST OUT      writes OUT/page_files.cc and the compressed files that it takes in

The files are taken in by the assembler (.incbin), which costs no compile time. The same files give the same bytes.
"""

import gzip
import hashlib
import re
import sys
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
# Vite puts a hash of the content into the names of these, so that they never change.
HASHED = re.compile(r"assets/.+-[A-Za-z0-9_-]{8,}\.\w+$")

MISSING = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Lockstep</title>
<h1>The page was not built</h1>
<p>The server runs, and programs can use it at <code>/ws</code>. To see the page, build it and the command:</p>
<pre>./dev build</pre>
</html>
"""


def find_files(dist: Path) -> dict:
    """Content by path below the root of the server."""
    files = {}
    for file in sorted(dist.rglob("*")) if dist.is_dir() else []:
        if not file.is_file() or file.suffix == ".map":
            continue
        if file.suffix not in TYPES:
            sys.exit(f"embed_page.py: {file}: no content type is known for '{file.suffix}'; add it to TYPES")
        files[file.relative_to(dist).as_posix()] = file.read_bytes()
    return files if "index.html" in files else {"index.html": MISSING}


def main() -> None:
    dist, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    rows, symbols = [], []
    for number, (path, content) in enumerate(find_files(dist).items()):
        packed = out / f"page_{number}.gz"
        packed.write_bytes(gzip.compress(content, 9, mtime=0))
        symbol = f"lockstep_page_{number}"
        symbols.append(f'asm(".section .rodata\\n{symbol}:\\n.incbin \\"{packed}\\"\\n{symbol}_end:\\n.previous");\n'
                       f"extern const char {symbol}[] asm(\"{symbol}\");\n"
                       f"extern const char {symbol}_end[] asm(\"{symbol}_end\");\n")
        etag = hashlib.sha256(content).hexdigest()[:20]
        hashed = "true" if HASHED.match(path) else "false"
        rows.append(f'      {{"/{path}", "{TYPES[Path(path).suffix]}", "\\"{etag}\\"", {hashed},\n'
                    f"       std::string_view({symbol}, static_cast<std::size_t>({symbol}_end - {symbol}))}},\n")
    (out / "page_files.cc").write_text(
        '// Made by tools/embed_page.py.\n#include "serve/page.h"\n\n' + "".join(symbols) +
        "\nnamespace lockstep::serve {\n\nstd::span<const PageFile> page_files() {\n  static const PageFile files[] = {\n" +
        "".join(rows) + "  };\n  return files;\n}\n\n}  // namespace lockstep::serve\n", encoding="utf-8")


if __name__ == "__main__":
    main()
