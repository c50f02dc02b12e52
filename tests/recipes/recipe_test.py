#!/usr/bin/env python3
import tempfile
import unittest
from pathlib import Path

from recipe import add_to, follow, read_recipe

PAGE = """## Recipes

### A sensor

```cpp src/new.h
struct New {};
```

Then

```cpp src/list.cc
#include "b.h"

  add(b);
```

```console
$ true
```

### Another

```cpp src/other.h
```
"""
LIST = """#include "list.h"

#include "a.h"
#include "c.h"

namespace lockstep {

void list() {
  add(a);
}

}  // namespace lockstep
"""


class RecipeTest(unittest.TestCase):
    def test_has_only_the_files_below_its_heading(self):
        self.assertEqual(list(read_recipe(PAGE, "A sensor").files), ["src/new.h", "src/list.cc"])
        self.assertEqual(read_recipe(PAGE, "Another").files, {"src/other.h": ""})
        with self.assertRaises(ValueError):
            read_recipe(PAGE, "A motor")

    def test_adds_includes_in_order_and_lines_to_the_last_function(self):
        self.assertEqual(add_to(LIST, '#include "b.h"\n\n  add(b);\n'),
                         LIST.replace('"a.h"\n', '"a.h"\n#include "b.h"\n').replace("add(a);\n", "add(a);\n  add(b);\n"))

    def test_adds_declarations_to_the_declarations(self):
        declares = LIST.replace("void list", "void a();\n\nvoid list")
        self.assertEqual(add_to(declares, "void b();\n\n  b();\n"),
                         declares.replace("void a();\n", "void a();\nvoid b();\n").replace("add(a);\n", "add(a);\n  b();\n"))
        with self.assertRaises(ValueError):
            add_to(LIST, "void b();\n")

    def test_writes_new_files_and_adds_to_existing_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src").mkdir()
            (root / "src/list.cc").write_text(LIST)
            follow(read_recipe(PAGE, "A sensor"), root)
            self.assertEqual((root / "src/new.h").read_text(), "struct New {};\n")
            self.assertIn("  add(b);\n}", (root / "src/list.cc").read_text())


if __name__ == "__main__":
    unittest.main()
