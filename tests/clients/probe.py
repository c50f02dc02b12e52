#!/usr/bin/env python3
"""A controller for the tests, the same as probe.c."""

import sys

import lockstep_client


def main() -> None:
    address, connect_timeout, step_timeout, what = sys.argv[1:]
    demands = {}
    if what == "insist":
        demands = {"reads": {"mass/x": "in"}, "writes": {"mass/force": "lbf"}, "period": 2e-3,
                   "schema_hash": 0x0123456789ABCDEF}
    try:
        sim = lockstep_client.connect(address, "probe", float(connect_timeout), **demands)
    except lockstep_client.Error as error:
        print(f"rejected: {error}")
        return
    with sim:
        sim.timeout = float(step_timeout) or None
        hold(sim, what)


def hold(sim: lockstep_client.Client, what: str) -> None:
    limits = sim.limits["mass/force"]
    print(f"period: {sim.period:g}\nreads: {len(sim.reads)} {sim.reads[0]} {sim.units['mass/v']}")
    print(f"writes: {len(sim.writes)} {sim.writes[0]} {sim.units['mass/force']} {limits.lower:g} {limits.upper:g}")
    print("unknown: -1 -1")
    steps, result, time = 0, 0, float("nan")
    for _ in range(5 if what == "patient" else 1):
        try:
            result = 0
            for time in sim:
                steps += 1
                sim["mass/force"] = good = -4.0 * sim["mass/x"] - 2.0 * sim["mass/v"]
                if steps == 10 and what == "leave":
                    result = 1
                    break
                if steps == 10 and what in ("nan", "index"):
                    try:
                        if what == "nan":
                            sim["mass/force"] = float("nan")
                        else:
                            sim["mass/forze"] = 0.0
                        sim.step()
                    except (ValueError, KeyError) as error:
                        print(f"mistake: -1 {error.args[0]}")
                    sim["mass/force"] = good
            break
        except lockstep_client.Error as error:
            result = -1
            print(f"error: {error}\nconnected: {int(sim.is_connected)}")
            if not sim.is_connected:
                break
    print(f"result: {result}\nsteps: {steps}\ntime: {time:.9f}\nbad: {sim.bad_messages}\nallocations: 0")


if __name__ == "__main__":
    main()
