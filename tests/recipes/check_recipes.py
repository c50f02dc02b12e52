#!/usr/bin/env python3
"""Follows the recipes of docs/developing.md in a copy of the sources and runs the result: a test or a command.

To save time, only the folder that a recipe changes is compiled from the copy, without optimisation; everything else comes
from the installed library of this build. For the environment see cmake/lockstep_module.cmake.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from recipe import Recipe, follow, read_recipe

ROOT = Path(os.environ["LOCKSTEP_SOURCE_DIR"])
BUILD = Path(os.environ["LOCKSTEP_BUILD_DIR"])
SCENARIO, MASS = "scenarios/basics/pendulum.xml", "pendulum/rod: 1 kg"

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(recipe CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(lockstep REQUIRED)
find_package(GTest REQUIRED)
file(GLOB sources src/{folder}/*.cc)
list(FILTER sources EXCLUDE REGEX "_test\\\\.cc$")
add_executable(recipe ${{sources}} {test})
set_target_properties(recipe PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
target_include_directories(recipe BEFORE PRIVATE include src)
target_compile_definitions(recipe PRIVATE LOCKSTEP_SOURCE_DIR="${{CMAKE_CURRENT_SOURCE_DIR}}" LOCKSTEP_VERSION="recipe")
target_compile_options(recipe PRIVATE -O0 -Wall -Wextra -ffp-contract=off -Wno-missing-field-initializers
  -Wno-subobject-linkage {flags})
target_link_options(recipe PRIVATE {flags})
target_link_libraries(recipe PRIVATE lockstep::lockstep {main})
"""


def run(*command) -> None:
    subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr)


def copy_sources(to: Path) -> None:
    for name in ("include", "src", "docs", "tests/walls"):
        shutil.copytree(ROOT / name, to / name)


def changed_files(copy: Path) -> list:
    files = (path.relative_to(copy) for path in copy.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return [name for name in files
            if not (ROOT / name).exists() or (ROOT / name).read_bytes() != (copy / name).read_bytes()]


def build(recipe: Recipe, most_files: int, work: Path) -> Path:
    """Builds the program of the recipe's folder: its new test, or the command if it has none."""
    scratch = work / recipe.heading.replace(" ", "-")
    copy, built = scratch / "copy", scratch / "build"
    copy_sources(copy)
    follow(recipe, copy)
    changed = changed_files(copy)
    print(f"{recipe.heading}: {len(changed)} files: {', '.join(map(str, changed))}", flush=True)
    assert 0 < len(changed) <= most_files, f"at most {most_files} files are to be touched"
    run(sys.executable, copy / "tests/walls/check_walls.py", copy / "src")

    tests = [name for name in recipe.files if name.endswith("_test.cc")]
    folder = Path(next(iter(recipe.files))).parent.relative_to("src")
    sanitize = os.environ.get("LOCKSTEP_SANITIZE")
    (copy / "CMakeLists.txt").write_text(PROJECT.format(
        folder=folder, test=" ".join(tests), main="GTest::gtest_main" if tests else "",
        flags=f"-fsanitize={sanitize}" if sanitize else ""))
    run("cmake", "-S", copy, "-B", built, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")
    run("cmake", "--build", built, "-j1")
    return built / "recipe"


def main() -> None:
    page = (ROOT / "docs" / "developing.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run("cmake", "--install", BUILD, "--prefix", work / "prefix")
        run(build(read_recipe(page, "Adding a sensor"), 4, work))
        command = build(read_recipe(page, "Adding a command"), 2, work)
        done = subprocess.run([command, "masses", ROOT / SCENARIO], check=True, capture_output=True, text=True)
        assert MASS in done.stdout.splitlines(), done.stdout


if __name__ == "__main__":
    main()
