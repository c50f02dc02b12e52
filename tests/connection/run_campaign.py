#!/usr/bin/env python3
"""Injects seeded faults at the connection of a running simulation, over every transport, and checks its behaviour.

    run_campaign.py [--faults 5000] [--seed 1] [--transport tcp …] [--kind 'NaN or Inf' …] [--only N]

After every fault the connection must have counted exactly what happened, in its class. At the end of every run nothing may
have crashed, no wait may have been longer than the timeout and 10 % (and twice what a plain sleep of the same length
was late on this machine meanwhile), and no row of the log may have a command that no valid message carried or the silence
policy gave. Exits with 1 if anything was otherwise, and says how to repeat it.

The environment is that of cmake/lockstep_module.cmake: LOCKSTEP, LOCKSTEP_SOURCE_DIR, LOCKSTEP_BUILD_DIR.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Iterator, List, NamedTuple, Optional

from faults import KINDS, Kind, start_process
from machine import Failure, Machine, Setting, Sleepers, Stalled
from wires import TRANSPORTS, Closed

TIMEOUT = 0.1  # s
STOP_TIMEOUT = 0.2  # s; a computer that stalls for this long ends a run
FAULTS_PER_RUN = 40
TRIES = 5  # of a run that failed because the computer stalled
SETTINGS = [Setting(transport, mode, silence, STOP_TIMEOUT if silence == "stop" else TIMEOUT)
            for mode, silence, transport in itertools.product(("lockstep", "realtime"), ("hold", "zero", "pause", "stop"),
                                                              TRANSPORTS)]


class Fault(NamedTuple):
    number: int
    setting: Setting
    name: str

    @property
    def kind(self) -> Kind:
        return KINDS[self.name]

    @property
    def ends_run(self) -> bool:
        return self.setting.silence == "stop" and self.kind.end is not None


def is_possible(setting: Setting, name: str) -> bool:
    """Where silence ends the run, the controller must not disconnect for long."""
    has_one_place = not setting.wire.has_waiting_line
    return KINDS[name].is_possible(setting) and not (setting.silence == "stop" and name == "port scan" and has_one_place)


def draw_faults(faults: int, seed: int) -> List[Fault]:
    """The setting changes with each fault, and the kind is drawn at random."""
    planned = []
    for number in range(faults):
        setting = SETTINGS[number % len(SETTINGS)]
        names = [name for name in KINDS if is_possible(setting, name)]
        name = Random(f"{seed}:{number}:kind").choices(names, [KINDS[name].weight for name in names])[0]
        planned.append(Fault(number, setting, name))
    return planned


def runs_of(faults: List[Fault]) -> Iterator[List[Fault]]:
    """Faults that happen in one run: of one setting, and at most the last one ends it."""
    for setting in SETTINGS:
        here = [fault for fault in faults if fault.setting == setting]
        calm = [fault for fault in here if not fault.ends_run]
        for first in range(0, len(calm), FAULTS_PER_RUN):
            yield calm[first:first + FAULTS_PER_RUN]
        for fault in here:
            if fault.ends_run:
                yield [fault]


class Campaign:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.counted: Counter = Counter()  # by transport and name
        self.failures = 0
        self.worst_wait = 0.0  # of the timeout
        self.runs = self.stalled = 0

    def commit_all(self, faults: List[Fault]) -> None:
        tries = 0
        while faults:
            self.runs += 1
            with tempfile.TemporaryDirectory() as folder:
                left = self._run(faults, Path(folder), f"{os.getpid()}-{self.runs}")
            tries = tries + 1 if len(left) == len(faults) else 0
            faults = left
            if tries == TRIES:
                self._fail(faults[0], f"the machine was too slow {TRIES} times")
                faults = faults[1:]

    def _fail(self, fault: Fault, problem: str) -> None:
        setting = fault.setting
        self.failures += 1
        print(f"fault {fault.number} ({fault.name}; {setting.transport}, {setting.mode}, {setting.silence}): {problem}\n"
              f"    repeat it with --seed {self.seed} --only {fault.number}", file=sys.stderr, flush=True)

    def _run(self, faults: List[Fault], folder: Path, tag: str) -> List[Fault]:
        """The remaining faults after a failure or a stall, which ends a run."""
        setting = faults[0].setting
        sleepers = Sleepers(setting.timeout, folder)
        machine: Optional[Machine] = None
        fault = faults[0]
        done: List[Fault] = []
        has_failed = False
        try:
            machine = Machine(setting, folder, tag)
            if fault.ends_run and fault.kind.is_process:
                start_process(machine)
            else:
                machine.connect()
            for fault in faults:
                random = Random(f"{self.seed}:{fault.number}")
                machine.errors.clear()
                (fault.kind.end if fault.ends_run else fault.kind.commit)(machine, random)
                if not fault.ends_run:
                    machine.verify()
                done.append(fault)
            if faults[-1].ends_run:
                machine.judge_end("controller lost", sleepers)
            else:
                machine.end(sleepers)
            self.worst_wait = max(self.worst_wait, machine.longest_wait / setting.timeout)
        except Stalled:
            self.stalled += 1
        except (Failure, Closed) as problem:
            self._fail(fault, str(problem))
            has_failed = True
        finally:
            sleepers.end()
            if machine:
                machine.kill()
        for good in done:
            self.counted[good.setting.transport, good.name] += 1
        return [left for left in faults if left not in done and not (has_failed and left == fault)]


def print_table(faults: List[Fault], campaign: Campaign) -> None:
    injected = Counter((fault.setting.transport, fault.name) for fault in faults)
    print(f"{'fault':20}{'counted as':18}" + "".join(f"{transport:>12}" for transport in TRANSPORTS) + "  verdict")
    for name, kind in KINDS.items():
        cells = [(campaign.counted[transport, name], injected[transport, name]) for transport in TRANSPORTS]
        verdict = "ok" if all(counted == all_ for counted, all_ in cells) else "WRONG"
        print(f"{name:20}{kind.counted:18}" + "".join(f"{f'{counted}/{all_}':>12}" for counted, all_ in cells) +
              f"  {verdict}")
    print(f"{sum(campaign.counted.values())} of {len(faults)} faults counted exactly, in {campaign.runs} runs; "
          f"the longest wait was {campaign.worst_wait:.3f} of the timeout"
          + (f"; {campaign.stalled} runs were repeated, because this machine stalled" if campaign.stalled else ""))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--transport", action="append", choices=TRANSPORTS)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--only", type=int, help="number of the only fault to inject")
    options = parser.parse_args()
    start = time.monotonic()
    faults = [fault for fault in draw_faults(max(options.faults, (options.only or 0) + 1), options.seed)
              if (options.only is None or fault.number == options.only)
              and (not options.transport or fault.setting.transport in options.transport)
              and (not options.kind or fault.name in options.kind)]
    campaign = Campaign(options.seed)
    for together in runs_of(faults):
        campaign.commit_all(together)
    print_table(faults, campaign)
    print(f"took {time.monotonic() - start:.0f} s")
    return 1 if campaign.failures or sum(campaign.counted.values()) != len(faults) else 0


if __name__ == "__main__":
    sys.exit(main())
