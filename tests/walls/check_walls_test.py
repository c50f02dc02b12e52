#!/usr/bin/env python3
"""Each kind of violation in a synthetic tree is found at its place; allowed code is not reported."""

import tempfile
import unittest
from pathlib import Path

import check_walls


def check(files: dict) -> list:
    """The violations in a tree of these files, as text without the leading 'src/'; lockstep/ is in include/."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "src"
        root.mkdir()
        for name, text in files.items():
            path = (root.parent / "include" if name.startswith("lockstep/") else root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        return [str(violation).removeprefix("src/") for violation in check_walls.check(root)]


class Folders(unittest.TestCase):
    def test_a_tree_that_follows_the_table_is_clean(self):
        self.assertEqual(check({
            "base/a.h": "#include <vector>\n#include <sys/stat.h>\n#include <fmt/format.h>",
            "signals/b.h": '#include <Eigen/Core>\n#include "base/a.h"',
            "scenario/c.h": '#include "lockstep/shapes.h"\n#include "lockstep/properties.h"',
            "control/c.cc": '#include "lockstep/device.h"\n#include "lockstep/registry.h"',
            "physics/mujoco/d.cc": '#include <mujoco/mujoco.h>\n#include "physics/engine.h"',
            "simulation/e.h": '#include "lockstep/device.h"\n#include "lockstep/world.h"',
            "lockstep/device.h": '// a device\n#include "lockstep/signals.h"',
            "assemble/f.cc": '#include "physics/mujoco/mujoco_world.h"\n#include "sensors/joint_sensor.h"',
            "cli/g.cc": '#include <CLI/CLI.hpp>\n#include <nlohmann/json.hpp>\n#include "assemble/f.h"',
        }), [])

    def test_control_may_not_include_physics(self):
        self.assertEqual(check({"control/gait.cc": '\n#include "physics/engine.h"'}),
                         ["control/gait.cc:2: control/ may not include physics/engine.h; it may use device, scenario/controllers_doc.h, signals, base"])

    def test_dependencies_of_control_and_connection_may_not_include_physics(self):
        for start in ("control", "control/lua", "connection"):
            seen, waiting = set(), [start]
            while waiting:
                folder = waiting.pop()
                if folder not in seen:
                    seen.add(folder)
                    waiting += [check_walls.PUBLIC.get(use, use) for use in check_walls.FOLDERS.get(folder, [])]
            self.assertEqual([folder for folder in seen if folder.startswith("physics")], [], start)

    def test_connection_may_not_include_physics(self):
        self.assertEqual(len(check({"connection/tcp.cc": '#include "physics/engine.h"'})), 1)
        self.assertEqual(check({"connection/tcp.cc": '#include "lockstep/world.h"'}),
                         ["connection/tcp.cc:1: connection/ may not include lockstep/world.h; it may use device, signals, base"])

    def test_a_sub_folder_is_not_included_with_its_parent(self):
        self.assertEqual(len(check({"sensors/s.cc": '#include "physics/mujoco/mujoco_world.h"'})), 1)

    def test_simulation_may_include_interfaces_but_not_devices(self):
        self.assertEqual(len(check({"simulation/loop.cc": '#include "sensors/joint_sensor.h"'})), 1)

    def test_scenario_may_include_only_the_shapes_of_geometry(self):
        self.assertEqual(len(check({"scenario/read.cc": '#include "geometry/fit.h"'})), 1)

    def test_assemble_may_not_include_the_command_line(self):
        self.assertEqual(len(check({"assemble/a.cc": '#include "cli/run.h"'})), 1)

    def test_a_folder_without_a_row_is_found(self):
        self.assertEqual(len(check({"misc/a.h": ""})), 1)

    def test_an_include_without_its_folder_is_found(self):
        self.assertEqual(len(check({"base/a.h": '#include "b.h"'})), 1)

    def test_a_test_may_include_any_folder(self):
        self.assertEqual(check({"base/a_test.cc": '#include <gtest/gtest.h>\n#include "assemble/registry.h"'}), [])

    def test_a_header_for_other_folders_needs_no_private_one(self):
        self.assertEqual(check({"scenario/a.h": '#include "scenario/b_internal.h"'}),
                         ["scenario/a.h:1: a header for other folders includes the private scenario/b_internal.h"])

    def test_an_include_in_a_comment_or_a_raw_string_is_ignored(self):
        self.assertEqual(check({"base/a.h": '// #include "cli/a.h"\n/*\n#include "cli/a.h"\n*/',
                                "base/a.cc": 'auto s = R"(\n#include "cli/a.h"\n)";'}), [])


class PublicHeaders(unittest.TestCase):
    def test_one_includes_only_public_headers(self):
        self.assertEqual(check({"lockstep/model.h": '// a model\n#include "scenario/scenario.h"'}),
                         ["include/lockstep/model.h:2: a public header includes scenario/scenario.h, which is not"])

    def test_one_includes_no_library_but_eigen_and_fmt(self):
        self.assertEqual(check({"lockstep/math.h": "// vectors\n#include <Eigen/Core>\n#include <fmt/format.h> // text"}), [])
        self.assertEqual(len(check({"lockstep/world.h": "// a world\n#include <mujoco/mujoco.h>"})), 1)

    def test_one_keeps_to_the_walls_of_its_folder(self):
        self.assertEqual(len(check({"lockstep/device.h": '// a device\n#include "lockstep/world.h"'})), 1)

    def test_one_has_a_row_in_the_table(self):
        self.assertEqual(check({"lockstep/extra.h": "// more"}),
                         ["include/lockstep/extra.h:1: a public header without a row in src/folders.txt"])

    def test_one_has_a_line_with_a_comment_for_two_of_code(self):
        self.assertEqual(check({"lockstep/time.h": "// time\nint a;\nint b;"}), [])
        self.assertEqual(check({"lockstep/time.h": "int a;  ///< s\nint b;"}), [])
        self.assertEqual(check({"lockstep/time.h": "// time\nint a;\nint b;\nint c;"}),
                         ["include/lockstep/time.h:1: 1 lines with a comment for 3 of code; at least 0.5 for each"])

    def test_they_are_few(self):
        found = check({f"lockstep/h{i}.h": "// a header" for i in range(16)})
        self.assertIn("include/lockstep/h9.h:1: 16 public headers; at most 15", found)


class Libraries(unittest.TestCase):
    def test_each_library_stays_in_its_folder(self):
        for header in ("mujoco/mujoco.h", "ode/ode.h", "pugixml.hpp", "png.h", "TopoDS_Shape.hxx", "assimp/scene.h",
                       "CLI/CLI.hpp", "nlohmann/json.hpp", "pagmo/problem.hpp", "mpi.h", "boost/beast.hpp",
                       "gtest/gtest.h"):
            self.assertEqual(len(check({"signals/a.cc": f"#include <{header}>"})), 1, header)

    def test_a_test_may_not_include_other_folders_libraries(self):
        self.assertEqual(len(check({"model/a_test.cc": "#include <mujoco/mujoco.h>"})), 1)

    def test_a_library_in_a_public_header_is_found(self):
        self.assertEqual(len(check({"scenario/a.h": "#include <pugixml.hpp>"})), 1)
        self.assertEqual(check({"scenario/a_internal.h": "#include <pugixml.hpp>"}), [])

    def test_an_unknown_library_is_found(self):
        self.assertEqual(check({"base/a.cc": "#include <lzma.h>"}),
                         ["base/a.cc:1: <lzma.h> belongs to no library in src/folders.txt"])


class Words(unittest.TestCase):
    def test_uncontrolled_randomness_is_found(self):
        for word in ("rand()", "std::rand()", "srand(1)", "std::random_device d", "std::mt19937 g"):
            self.assertEqual(len(check({"cli/a.cc": word})), 1, word)

    def test_the_date_is_found(self):
        for word in ("std::chrono::system_clock::now()", "time(nullptr)", "std::time(NULL)", "time( 0 )"):
            self.assertEqual(len(check({"cli/a.cc": word})), 1, word)

    def test_only_pacing_and_cli_may_use_the_wall_clock(self):
        word = "auto t = std::chrono::steady_clock::now();"
        self.assertEqual(check({"simulation/pacing.cc": word, "cli/bench.cc": word, "base/a_test.cc": word}), [])
        self.assertEqual(len(check({"simulation/simulation.cc": word, "model/m.cc": "clock_gettime(c, &t)"})), 2)

    def test_words_in_comments_and_strings_are_ignored(self):
        self.assertEqual(check({"base/a.cc": '// rand()\nconst char* s = "system_clock, \\"rand()";'}), [])

    def test_operand_and_end_time_are_other_words(self):
        self.assertEqual(check({"base/a.cc": "operand(); end_time(0); time(now);"}), [])


class Shape(unittest.TestCase):
    def test_a_file_over_600_lines_is_found(self):
        self.assertEqual(check({"base/a.cc": "\n" * 599}), [])
        self.assertEqual(len(check({"base/a.cc": "\n" * 600})), 1)

    def test_a_cycle_between_folders_is_found(self):
        found = check({"model/a.h": '#include "physics/b.h"', "physics/b.h": '#include "model/c.h"'})
        self.assertTrue(any("model → physics → model" in text for text in found), found)

    def test_a_cycle_between_headers_of_one_folder_is_found(self):
        found = check({"base/a.h": '#include "base/b.h"', "base/b.h": '#include "base/a.h"'})
        self.assertEqual(found, ["base/a.h:1: includes go round in a circle: base/a.h → base/b.h → base/a.h"])


if __name__ == "__main__":
    unittest.main()
