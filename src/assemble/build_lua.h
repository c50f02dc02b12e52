#pragma once

#include <memory>
#include <string>

#include "assemble/build_context.h"
#include "base/field.h"
#include "control/lua/lua_controller.h"

namespace lockstep {

struct LuaConfig {
  std::string src;
  std::string text;
  LuaLimits limits;
};

template <class V>
void describe(V& v, LuaConfig& c) {
  v.text("src", c.src, {.doc = "File with the script. The script may also stand inside the element."});
  v.content(c.text, {.doc = "The script."});
  v.integer(
      "instructions", c.limits.instructions,
      {.min = 1000.0, .max = 1e9, .doc = "Work that one call may take; a script that takes more is stopped."});
  v.integer("memory", c.limits.memory,
            {.min = 65536.0, .max = 268435456.0, .doc = "Bytes that the script may hold at one time."});
  v.integer(
      "state_size", c.limits.state,
      {.min = 0.0, .max = 16777216.0, .doc = "Bytes that the script's table 'state' may take in a snapshot."});
  v.check(c.src.empty() != c.text.empty(), "src", "needs either 'src' or the script inside the element");
}

std::unique_ptr<Controller> make_lua(const LuaConfig& config, BuildContext& context);

}  // namespace lockstep
