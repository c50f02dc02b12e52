"""Runs scenarios with logs through the command and opens them as a user would, for the tests of this folder.

The environment is that of cmake/lockstep_module.cmake: LOCKSTEP, LOCKSTEP_SOURCE_DIR.
"""

import os
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/bin/lockstep"))


class Log(NamedTuple):
    names: list  # "time" first
    units: list
    rows: numpy.ndarray  # [rows, columns]


def command(scenario: str, *options: str) -> list:
    return [LOCKSTEP, "run", str(next((ROOT / "scenarios").glob(f"*/{scenario}.xml"))), "--json", *options]


def read_hdf5(file: Path) -> Log:
    with h5py.File(file, "r") as log:
        rows = int(log.attrs["rows"])
        columns = numpy.column_stack([log["time"][:rows], log["data"][:rows]])
        return Log(["time", *log["names"].asstr()[:]], [log["time"].attrs["unit"], *log["units"].asstr()[:]], columns)


def read_csv(file: Path) -> Log:
    """The complete lines of a file; a kill during a write can leave an incomplete line at the end."""
    text = file.read_text(encoding="utf-8")
    lines = text[:text.rfind("\n") + 1].splitlines()
    fields = [field.rstrip("]").partition(" [") for field in lines[0].split(",")] if lines else []
    rows = numpy.array([[float(number) for number in line.split(",")] for line in lines[1:]])
    return Log([name for name, _, _ in fields], [unit for _, _, unit in fields], rows.reshape(-1, len(fields)))
