#include <cmath>

#include "control/lua/script_testing.h"

namespace lockstep {
namespace {

TEST(Lua, ReadsAndWritesSignalsByName) {
  Script script(R"(
    local measured, command = reads "measured", writes "command"
    function step(time) command(2 * measured() + time) end
  )");
  script.values[static_cast<std::size_t>(script.measured)] = 3.0;
  EXPECT_EQ(script.run(2), "");
  EXPECT_EQ(script[script.command], 6.01);
}

TEST(Lua, RejectsAnUnknownSignalWithItsLineAndASuggestion) {
  EXPECT_EQ(load_error("local a = 1\nlocal c = writes 'comand'\nfunction step() end"),
            "2: unknown signal 'comand'; did you mean 'command'?");
  EXPECT_EQ(load_error("writes 'measured'\nfunction step() end"), "1: signal 'measured' cannot be written");
}

TEST(Lua, AddsSignals) {
  Script script(R"(
    local shown, speed = output("shown", "m"), input("speed", "m/s", 4)
    function step() shown(speed() + 1) end
  )");
  EXPECT_EQ(script.run(1), "");
  EXPECT_EQ(script.value("script/shown"), 5.0);
}

TEST(Lua, RejectsAScriptWithoutStepOrWithSyntaxErrors) {
  EXPECT_EQ(load_error("local a = 1"), "0: the script has no function step(time)");
  EXPECT_EQ(load_error("function step()\n  if then end\nend"), "2: unexpected symbol near 'then'");
}

TEST(Lua, ReportsTheLineOfAnError) {
  Script script("function step(time)\n  local t = nil\n  return t.x\nend");
  EXPECT_EQ(script.run(1), "test.lua:3: attempt to index a nil value (local 't')");
}

TEST(Lua, SavesAndRestoresTheState) {
  const std::string text = R"(
    local command = writes "command"
    state.count, state.history, state.name, state.deep = 0, {}, "a", {{x = 1.5, [-3] = true, [2.5] = false}}
    function step(time)
      state.count = state.count + 1
      state.history[#state.history + 1] = math.random()
      state.deep[1].x = state.deep[1].x * 1.1
      local sum = 0
      for i, x in ipairs(state.history) do sum = sum + x * i end
      command(sum + state.count + state.deep[1].x + (state.deep[1][-3] and 1 or 0) + math.random(6))
    end
  )";
  Script one(text), other(text);
  EXPECT_EQ(one.run(7), "");
  other.restore(one.saved());
  EXPECT_EQ(one.saved(), other.saved());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(one.run(1) + other.run(1), "");
    ASSERT_EQ(one[one.command], other[other.command]);
    ASSERT_EQ(one.saved(), other.saved());
  }
}

TEST(Lua, TheStateCanHaveAnAlias) {
  Script script("local s = state\nfunction step() s.n = (s.n or 0) + 1 end");
  const std::vector<std::uint8_t> fresh = script.saved();
  EXPECT_EQ(script.run(3), "");
  const std::vector<std::uint8_t> after = script.saved();
  script.restore(fresh);
  EXPECT_EQ(script.run(3), "");
  EXPECT_EQ(script.saved(), after);
}

TEST(Lua, RejectsDamagedState) {
  Script script("state.a, state.b = 1, {2, 'three'}\nfunction step() end");
  const std::vector<std::uint8_t> good = script.saved();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(script.restore({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}), StateError);
  }
  script.restore(good);
  EXPECT_EQ(script.run(1), "");
  EXPECT_EQ(script.saved(), good);
}

TEST(Lua, RejectsDataThatASnapshotWouldLose) {
  const char* lost_global = "sets the global 'n', which would be lost; keep it in 'state', or make it local";
  EXPECT_EQ(Script("function step()\n  n = 1\nend").run(1), std::string("test.lua:2: ") + lost_global);
  EXPECT_EQ(Script("n = 0\nfunction step() n = n + 1 end").run(1), std::string("test.lua:2: ") + lost_global);
  EXPECT_EQ(Script("local n = 0\nfunction step() n = n + 1 end").run(1),
            "test.lua:2: step() has changed the outer local variable 'n', which would be lost; keep it in "
            "'state'");
  const char* lost_table =
      "changes a table that was created while loading, which would be lost; keep "
      "it in 'state'";
  EXPECT_EQ(Script("local t = {1}\nfunction step() t[1] = 2 end").run(1),
            std::string("test.lua:2: ") + lost_table);
  EXPECT_EQ(Script("local t = {}\nfunction step() table.insert(t, 2) end").run(1),
            std::string("test.lua:2: ") + lost_table);
  EXPECT_EQ(Script("function step() math.sin = nil end").run(1), std::string("test.lua:1: ") + lost_table);
  EXPECT_EQ(load_error("state.a = {}\nlocal a = state.a\nfunction step() a[1] = 1 end"),
            "0: a table inside 'state' is also kept in a variable; access it through 'state'");
}

TEST(Lua, ConstantTablesReadLikeOthers) {
  Script script(R"(
    local command = writes "command"
    local gains = {3, 4, 5, last = 6}
    function step()
      local sum = #gains
      for _, x in ipairs(gains) do sum = 10 * sum + x end
      for _, x in pairs(gains) do sum = 10 * sum + x end
      command(sum + select('#', table.unpack(gains)))
    end
  )");
  EXPECT_EQ(script.run(1), "");
  EXPECT_EQ(script[script.command], 33453456.0 + 3.0);
}

TEST(Lua, IteratesTablesInOrder) {
  Script script(R"(
    local command = writes "command"
    function step()
      local t = {b = 4, a = 3, [2.5] = 2, [-1] = 0, [1] = 1, [true] = 5}
      local digits = 0
      for _, v in pairs(t) do digits = 10 * digits + v end
      local k, v = next(t)
      local first = 0
      while k ~= nil do first = 10 * first + v; k, v = next(t, k) end
      assert(first == digits)
      command(digits)
    end
  )");
  EXPECT_EQ(script.run(1), "");
  EXPECT_EQ(script[script.command], 12345.0);  // 0 1 2 3 4 5
}

TEST(Lua, RandomNumbersComeFromTheSeedAndFillTheirRange) {
  const std::string text = R"(
    local command = writes "command"
    state.seen = {0, 0, 0}
    function step()
      local n = math.random(3)
      state.seen[n] = state.seen[n] + 1
      assert(math.random(-2, -1) < 0 and math.type(math.random(math.mininteger, math.maxinteger)) == "integer")
      command(math.random() + math.min(table.unpack(state.seen)))
    end
  )";
  Script one(text), other(text);
  EXPECT_EQ(one.run(300) + other.run(300), "");
  EXPECT_EQ(one[one.command], other[other.command]);
  EXPECT_GT(one[one.command], 70.0) << "each of three numbers about 100 times";
  EXPECT_EQ(Script("function step() math.random(0) end").run(1),
            "test.lua:1: random() was given an empty range");
}

TEST(Lua, ShowsNoAddresses) {
  Script script(R"(
    function step()
      assert(tostring({}) == "table" and tostring(step) == "function" and tostring(math.sin) == "function")
      assert(string.format("%s %5.1f", {}, 2) == "table   2.0" and tostring(1.5) == "1.5")
    end
  )");
  EXPECT_EQ(script.run(1), "");
  EXPECT_EQ(Script("function step() return string.format('%10p', {}) end").run(1),
            "test.lua:1: format() does not support %p");
}

TEST(Lua, TheCommonLibraryFunctionsWork) {
  Script script(R"(
    function step()
      local t = {3, 1, 2}
      table.sort(t, function(a, b) return a > b end)
      assert(table.concat(t, ",") == "3,2,1" and ("ab"):rep(3, "-") == "ab-ab-ab" and ("x"):rep(0) == "")
      assert(("hello"):find("l") == 3 and ("hello"):find("z") == nil and ("hello"):sub(2, 3) == "el")
      assert(select(2, ("hello"):find("lo", -3)) == 5 and ("A"):byte() == 65 and ("abc"):byte(-1) == 99)
      local ok, text = pcall(error, "oops", 0)
      assert(not ok and text == "oops")
      assert(pcall(function() return 1 end) and math.type(1) == "integer" and math.max(1, 5, 2) == 5)
      assert(tonumber("0x10") == 16 and math.floor(2.7) == 2 and period == 0.01)
    end
  )");
  EXPECT_EQ(script.run(1), "");
}

}  // namespace
}  // namespace lockstep
