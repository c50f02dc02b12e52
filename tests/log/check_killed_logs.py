#!/usr/bin/env python3
"""Kills runs at random moments (kill -9). Their logs must open and hold every row up to the last flush.

A run writes both formats, so that each checks the other: the CSV log is flushed at the same rows as the HDF5 log, just
before it. All rows must be those of an undisturbed run, bit for bit.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

from logs import command, read_csv, read_hdf5

FLUSH_ROWS = 1000  # one second of two-arms
REFERENCE_SECONDS = 60


def run_and_kill(folder: Path, delay: float, from_start: bool) -> None:
    """Kills a run `delay` seconds after its start, or after the start of its log."""
    run = subprocess.Popen(command("two-arms", "--for", f"{REFERENCE_SECONDS}s", "--log", "k.csv", "--log", "k.h5"),
                           cwd=folder, stdout=subprocess.DEVNULL)
    while not from_start and run.poll() is None and not (folder / "k.h5").exists():
        time.sleep(0.001)
    time.sleep(delay)
    run.kill()
    run.wait()


def check(folder: Path, reference: numpy.ndarray) -> int:
    """The number of rows in the HDF5 log; -1 if the run was killed before it started the log."""
    csv_file, hdf5_file = folder / "k.csv", folder / "k.h5"
    if not hdf5_file.exists():
        return -1
    csv, hdf5 = read_csv(csv_file).rows, read_hdf5(hdf5_file).rows
    assert numpy.array_equal(csv, reference[:len(csv)]), "the CSV log has other rows"
    assert numpy.array_equal(hdf5, reference[:len(hdf5)]), "the HDF5 log has other rows"
    flushes = len(csv) // FLUSH_ROWS
    assert len(hdf5) == len(reference) or len(hdf5) % FLUSH_ROWS == 0, f"{len(hdf5)} rows are not whole flushes"
    assert flushes - 1 <= len(hdf5) // FLUSH_ROWS <= flushes, f"{len(csv)} and {len(hdf5)} rows: a flush is missing"
    return len(hdf5)


def main() -> None:
    kills = 50 if os.environ.get("LOCKSTEP_SANITIZE") else 200
    chance = random.Random(1)  # the delays; the machine adds jitter
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = time.monotonic()
        subprocess.run(command("two-arms", "--for", f"{REFERENCE_SECONDS}s", "--log", "whole.h5"), cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        longest = (time.monotonic() - begin) / 10  # six flushes at the current speed of the machine
        reference = read_hdf5(folder / "whole.h5").rows
        held = []
        for i in range(kills):
            for file in folder.glob("k.*"):
                file.unlink()
            delay = chance.uniform(0.0, longest)
            run_and_kill(folder, delay, from_start=i % 4 == 0)
            try:
                held.append(check(folder, reference))
            except Exception as error:
                sys.exit(f"kill {i} after {delay:.4f} s: {error}")
        begun = sum(rows >= 0 for rows in held)
        flushed = sum(rows > 0 for rows in held)
        print(f"{kills} kills: {begun} logs had started, {flushed} had rows, up to {max(held)}; all opened, no row missing")
        assert 2 * flushed > kills, "most runs were killed before their first flush: the test tests little"


if __name__ == "__main__":
    main()
