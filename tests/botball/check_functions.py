#!/usr/bin/env python3
"""Every function of functions.txt links with programs of every era, returns, and takes virtual time: otherwise a loop that
calls it would never end."""

import unittest

from botball import HERE, BotballTest

LINES = [line for line in (HERE / "functions.txt").read_text().splitlines() if line and not line.startswith("#")]
CALLS = [line[3:] for line in LINES]
IMMEDIATE = [line[3:] for line in LINES if line[1] != "!"]
# Defined by the programs themselves, or without a controller behind them.
OWN = ("get_high_byte(0)", "get_low_byte(0)", "s_write_byte(0)")
VALUES = ("create_point2(0, 0)", "create_point3(0, 0, 0)", "create_rectangle(0, 0, 0, 0)")
BEFORE = """
#include <kipr/create3/client/client.h>
int get_high_byte(int v) { return v >> 8; } int get_low_byte(int v) { return v & 255; } void s_write_byte(int b) {}
void work() {} thread some_thread; mutex some_mutex; unsigned char bytes[4000]; char text[4000]; long number; int numbers[9];
#if LS_BB_ERA <= 3
#define SONG 0
#else
#define SONG bytes, 1, 0
#endif
#if LS_BB_ERA <= 2
#define P int *
#else
#define P short *
#endif
#define GAINS (P)numbers, (P)numbers, (P)numbers, (P)numbers, (P)numbers, (P)numbers
"""


class Functions(BotballTest):
    def test_the_list_is_complete(self) -> None:
        self.assertEqual(len(CALLS), 343)
        self.assertEqual(sum(line[0] == "*" for line in LINES), 200)
        self.assertEqual(len(set(call.split("(")[0] for call in CALLS)), 343)

    def test_all_link_in_every_era(self) -> None:
        calls = "\n".join(f"{call};" for call in CALLS)
        for era in ("C1", "C2", "L", "W"):
            run = self.run_main('printf("linked\\n");', era, before=f"{BEFORE}\nvoid all() {{\n{calls}\n}}")
            self.assertEqual(run.text, "linked", run.errors)

    def test_no_call_is_free(self) -> None:
        # The clock itself costs time, so that two readings in a row differ by that.
        body = "struct timespec a, b; long clock_cost; clock_gettime(0, &a); clock_gettime(0, &b); clock_cost = b.tv_nsec - a.tv_nsec;"
        for call in IMMEDIATE:
            if call not in OWN + VALUES:
                name = call.split("(")[0]
                body += (f"clock_gettime(0, &a); {call}; clock_gettime(0, &b);"
                         f'if ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec <= clock_cost) printf("free: {name}\\n");\n')
        for era in ("C2", "L", "W"):
            run = self.run_main(body, era, before=BEFORE + "#include <time.h>\n")
            self.assertEqual(run.program["end"], "main returned", run.errors[-2000:])
            self.assertEqual([text for _, text in run.console if text.startswith("free")], [], era)

    def test_devices_that_are_missing_are_named_once(self) -> None:
        run = self.run_main("int i; for (i = 0; i < 3; ++i) { camera_open(); drone_takeoff(); depth_open(); create_stop(); }")
        for device in ("camera", "drone", "depth camera", "Create"):
            self.assertEqual(sum(f"has no {device};" in note for note in run.notes), 1, device)


if __name__ == "__main__":
    unittest.main()
