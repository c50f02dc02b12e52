#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "control/lua/sandbox_internal.h"

/// The functions that a script can call. Functions of Lua's standard libraries are included only if the size of
/// their arguments bounds their time, and are charged for it; those that show addresses, files, time or the
/// order in memory are replaced or omitted.
namespace lockstep {
namespace {

// Copying results is not charged, so their number is limited.
constexpr lua_Integer kMaxResults = 200;
constexpr std::size_t kBytesOfTextPerInstruction = 16;

/// Included functions of Lua's standard libraries.
constexpr const char* kBase[] = {"assert", "error", "ipairs", "select", "tonumber", "type", "rawequal"};
constexpr const char* kMath[] = {"abs", "acos",  "asin", "atan", "ceil", "cos", "deg",
                                 "exp", "floor", "fmod", "log",  "max",  "min", "modf",
                                 "rad", "sin",   "sqrt", "tan",  "type", "ult", "tointeger"};
constexpr const char* kMathNumbers[] = {"pi", "huge", "maxinteger", "mininteger"};
constexpr const char* kString[] = {"char", "len", "lower", "reverse", "sub", "upper"};
constexpr const char* kTable[] = {"concat", "insert", "pack", "remove"};

/// Charges the size of the arguments, then calls the wrapped function.
int call_counted(lua_State* lua) {
  std::uint64_t work = 1;
  const int count = lua_gettop(lua);
  for (int i = 1; i <= count; ++i) {
    const int type = lua_type(lua, i);
    if (type == LUA_TSTRING) work += lua_rawlen(lua, i) / kBytesOfTextPerInstruction;
    if (type == LUA_TTABLE) work += lua_rawlen(lua, i);
  }
  LuaSandbox::of(lua).charge(lua, work + static_cast<std::uint64_t>(count));
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, count, LUA_MULTRET);
  return lua_gettop(lua);
}

/// Copies a function from the library table at `from` into the one at `to`, charged for its arguments.
void copy_function(lua_State* lua, int from, int to, const char* name) {
  lua_getfield(lua, from, name);
  lua_pushcclosure(lua, call_counted, 1);
  lua_setfield(lua, to, name);
}

/// pcall() that does not catch exceeded limits.
int protected_call(lua_State* lua) {
  luaL_checkany(lua, 1);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  const int status = lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0);
  if (status == LUA_OK) return lua_gettop(lua);
  if (status == LUA_ERRMEM) LuaSandbox::of(lua).reject_memory(lua);
  if (LuaSandbox::of(lua).is_stopped()) return lua_error(lua);
  lua_pushboolean(lua, 0);
  lua_insert(lua, -2);
  return 2;
}

/// tostring() without addresses.
void push_shown(lua_State* lua, int index) {
  switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
    case LUA_TBOOLEAN:
    case LUA_TNIL:
      luaL_tolstring(lua, index, nullptr);
      return;
    default:
      lua_pushstring(lua, luaL_typename(lua, index));
  }
}

int to_string(lua_State* lua) {
  luaL_checkany(lua, 1);
  push_shown(lua, 1);
  return 1;
}

std::vector<LuaKey> keys_or_error(lua_State* lua, int table) {
  std::optional<std::vector<LuaKey>> keys = ordered_keys(lua, table);
  if (!keys) luaL_error(lua, "iterates over a table with a key that is not a number, string or boolean");
  LuaSandbox::of(lua).charge(lua, 4 * keys->size());
  return std::move(*keys);
}

/// Iterator of pairs(): its table, its keys in order, and the number of keys done.
int next_pair(lua_State* lua) {
  const lua_Integer count = luaL_len(lua, lua_upvalueindex(2));
  for (lua_Integer i = lua_tointeger(lua, lua_upvalueindex(3)) + 1; i <= count; ++i) {
    lua_pushinteger(lua, i);
    lua_replace(lua, lua_upvalueindex(3));
    lua_rawgeti(lua, lua_upvalueindex(2), i);
    lua_pushvalue(lua, -1);
    lua_gettable(lua, lua_upvalueindex(1));
    if (!lua_isnil(lua, -1)) return 2;
    lua_pop(lua, 2);  // removed during the iteration
  }
  lua_pushnil(lua);
  return 1;
}

int ordered_pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  push_contents(lua, 1);
  const std::vector<LuaKey> keys = keys_or_error(lua, lua_gettop(lua));
  lua_pushvalue(lua, 1);
  lua_createtable(lua, static_cast<int>(keys.size()), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].push(lua);
    lua_rawseti(lua, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushinteger(lua, 0);
  lua_pushcclosure(lua, next_pair, 3);
  return 1;
}

int ordered_next(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 2);
  push_contents(lua, 1);
  const std::vector<LuaKey> keys = keys_or_error(lua, 3);
  std::size_t i = 0;
  if (!lua_isnil(lua, 2)) {
    for (; i < keys.size(); ++i) {
      keys[i].push(lua);
      const bool is_it = lua_rawequal(lua, -1, 2) != 0;
      lua_pop(lua, 1);
      if (is_it) break;
    }
    if (i == keys.size()) return luaL_error(lua, "next() was given a key that is not in the table");
    ++i;
  }
  if (i == keys.size()) {
    lua_pushnil(lua);
    return 1;
  }
  keys[i].push(lua);
  lua_pushvalue(lua, -1);
  lua_rawget(lua, 3);
  return 2;
}

int unpack(lua_State* lua) {
  const lua_Integer first = luaL_optinteger(lua, 2, 1);
  const lua_Integer last = luaL_opt(lua, luaL_checkinteger, 3, luaL_len(lua, 1));
  if (first > last) return 0;
  if (last >= first + kMaxResults || first < -kMaxResults || last > (1 << 30)) {
    return luaL_error(lua, "unpack() returns at most %d values", static_cast<int>(kMaxResults));
  }
  luaL_checkstack(lua, static_cast<int>(kMaxResults), nullptr);
  for (lua_Integer i = first; i <= last; ++i) lua_geti(lua, 1, i);
  return static_cast<int>(last - first + 1);
}

/// sort(); the comparison function is counted like the rest of the script.
int sort(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const auto size = static_cast<std::uint64_t>(lua_rawlen(lua, 1));
  std::uint64_t rounds = 1;
  while ((size >> rounds) > 0) ++rounds;
  LuaSandbox::of(lua).charge(lua, size * rounds * 2 + 1);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, lua_gettop(lua) - 1, 0);
  return 0;
}

std::string_view check_text(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, index, &size);
  return {text, size};
}

int repeat(lua_State* lua) {
  const std::string_view text = check_text(lua, 1);
  const lua_Integer count = luaL_checkinteger(lua, 2);
  const std::string_view between = lua_isnoneornil(lua, 3) ? std::string_view() : check_text(lua, 3);
  const std::uint64_t size = text.size() + between.size() + 1;  // a loop over empty strings takes time, too
  constexpr lua_Integer kMax = 1 << 20;
  if (count > kMax) return luaL_error(lua, "rep() repeats at most %I times", static_cast<LUAI_UACINT>(kMax));
  if (count > 0)
    LuaSandbox::of(lua).charge(lua, size * static_cast<std::uint64_t>(count) / kBytesOfTextPerInstruction);
  luaL_Buffer buffer;
  luaL_buffinit(lua, &buffer);
  for (lua_Integer i = 0; i < count; ++i) {
    luaL_addlstring(&buffer, text.data(), text.size());
    if (i + 1 < count) luaL_addlstring(&buffer, between.data(), between.size());
  }
  luaL_pushresult(&buffer);
  return 1;
}

/// find() of a plain string: matching a Lua pattern can take exponential time.
int find_plain(lua_State* lua) {
  const std::string_view text = check_text(lua, 1), wanted = check_text(lua, 2);
  const lua_Integer first = luaL_optinteger(lua, 3, 1);
  LuaSandbox::of(lua).charge(lua, text.size() * (wanted.size() + 1) / kBytesOfTextPerInstruction);
  const auto size = static_cast<lua_Integer>(text.size());
  const lua_Integer start = std::max<lua_Integer>(first < 0 ? size + first : first - 1, 0);
  const std::size_t at =
      start > size ? std::string_view::npos : text.find(wanted, static_cast<std::size_t>(start));
  if (at == std::string_view::npos) {
    lua_pushnil(lua);
    return 1;
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(at) + 1);
  lua_pushinteger(lua, static_cast<lua_Integer>(at + wanted.size()));
  return 2;
}

int bytes_of(lua_State* lua) {
  const std::string_view text = check_text(lua, 1);
  const auto size = static_cast<lua_Integer>(text.size());
  const auto place = [&](lua_Integer at) { return at < 0 ? size + at + 1 : at; };
  const lua_Integer given = luaL_optinteger(lua, 2, 1);
  const lua_Integer first = std::max<lua_Integer>(place(given), 1);
  const lua_Integer last = std::min(place(luaL_optinteger(lua, 3, given)), size);
  if (first > last) return 0;
  if (last - first >= kMaxResults) {
    return luaL_error(lua, "byte() returns at most %d values", static_cast<int>(kMaxResults));
  }
  luaL_checkstack(lua, static_cast<int>(kMaxResults), nullptr);
  for (lua_Integer i = first; i <= last; ++i) {
    lua_pushinteger(lua, static_cast<unsigned char>(text[static_cast<std::size_t>(i) - 1]));
  }
  return static_cast<int>(last - first + 1);
}

/// format() that shows no addresses.
int format(lua_State* lua) {
  const std::string_view text = check_text(lua, 1);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '%') continue;
    const std::size_t end = text.find_first_not_of("-+ #0123456789.", i + 1);
    if (end != std::string_view::npos && text[end] == 'p')
      return luaL_error(lua, "format() does not support %%p");
    i = end == std::string_view::npos ? i : end;
  }
  for (int i = 2; i <= lua_gettop(lua); ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER || lua_type(lua, i) == LUA_TSTRING) continue;
    push_shown(lua, i);
    lua_replace(lua, i);
  }
  return call_counted(lua);
}

/// A uniformly distributed integer in [0, bound).
std::uint64_t random_below(Random& random, std::uint64_t bound) {
  const std::uint64_t rest = (0 - bound) % bound;  // 2^64 modulo the bound
  for (;;) {
    const std::uint64_t bits = random.bits();
    if (bits >= rest) return bits % bound;
  }
}

int random_number(lua_State* lua) {
  Random& random = LuaSandbox::of(lua).random();
  if (lua_gettop(lua) == 0) {
    lua_pushnumber(lua, random.uniform());
    return 1;
  }
  const bool has_two = lua_gettop(lua) > 1;
  const lua_Integer low = has_two ? luaL_checkinteger(lua, 1) : 1;
  const lua_Integer high = luaL_checkinteger(lua, has_two ? 2 : 1);
  if (low > high) return luaL_error(lua, "random() was given an empty range");
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t drawn = span == 0 ? random.bits() : random_below(random, span);
  lua_pushinteger(lua, static_cast<lua_Integer>(static_cast<std::uint64_t>(low) + drawn));
  return 1;
}

/// The function that reads a signal; its upvalue is the slot.
int read_signal(lua_State* lua) {
  const Row row = LuaSandbox::of(lua).row_while_stepping(lua);
  lua_pushnumber(lua, row[static_cast<Slot>(lua_tointeger(lua, lua_upvalueindex(1)))]);
  return 1;
}

/// The function that writes a signal; its upvalues are the slot and the name.
int write_signal(lua_State* lua) {
  const Row row = LuaSandbox::of(lua).row_while_stepping(lua);
  const char* name = lua_tostring(lua, lua_upvalueindex(2));
  if (lua_type(lua, 1) != LUA_TNUMBER) {
    return luaL_error(lua, "signal '%s' was given a %s; expected a number", name, luaL_typename(lua, 1));
  }
  const double value = lua_tonumber(lua, 1);
  if (!std::isfinite(value)) {
    return luaL_error(lua, "signal '%s' was given %s; expected a finite number", name,
                      std::isnan(value) ? "NaN" : "infinity");
  }
  row[static_cast<Slot>(lua_tointeger(lua, lua_upvalueindex(1)))] = value;
  return 0;
}

std::string check_name(lua_State* lua, int index, const char* what) {
  if (lua_type(lua, index) != LUA_TSTRING) luaL_error(lua, "expected a string: %s", what);
  return std::string(check_text(lua, index).substr(0, 200));
}

/// Pushes a function that reads or writes the signal that was found.
int push_accessor(lua_State* lua, const Result<Slot>& found, const std::string& name, bool writes) {
  if (!found) return luaL_error(lua, "%s", found.error().c_str());
  lua_pushinteger(lua, static_cast<lua_Integer>(*found));
  lua_pushlstring(lua, name.data(), name.size());
  lua_pushcclosure(lua, writes ? write_signal : read_signal, 2);
  return 1;
}

int reads(lua_State* lua) {
  const LuaHost& host = LuaSandbox::of(lua).host_while_loading(lua, "reads");
  const std::string name = check_name(lua, 1, "the name of a signal");
  return push_accessor(lua, host.find_signal(name), name, false);
}

int writes(lua_State* lua) {
  const LuaHost& host = LuaSandbox::of(lua).host_while_loading(lua, "writes");
  const std::string name = check_name(lua, 1, "the name of a signal");
  return push_accessor(lua, host.find_command(name), name, true);
}

/// output(name, unit): a new signal that the script writes, for logs and plots.
int output(lua_State* lua) {
  const LuaHost& host = LuaSandbox::of(lua).host_while_loading(lua, "output");
  const std::string name = check_name(lua, 1, "the name of a new signal");
  const std::string unit = lua_isnoneornil(lua, 2) ? "" : check_name(lua, 2, "its unit");
  return push_accessor(lua, host.add_signal(name, unit, SignalRole::kInternal, 0.0), name, true);
}

/// input(name, unit, initial): a new command signal that the script reads.
int input(lua_State* lua) {
  const LuaHost& host = LuaSandbox::of(lua).host_while_loading(lua, "input");
  const std::string name = check_name(lua, 1, "the name of a new signal");
  const std::string unit = lua_isnoneornil(lua, 2) ? "" : check_name(lua, 2, "its unit");
  const double initial = luaL_optnumber(lua, 3, 0.0);
  if (!std::isfinite(initial)) return luaL_error(lua, "input() needs a finite initial value");
  return push_accessor(lua, host.add_signal(name, unit, SignalRole::kCommand, initial), name, false);
}

int reject_unknown(lua_State* lua) {
  const char* name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
  return luaL_error(lua, "there is no '%s' in scripts", name);
}

/// Opens a Lua library and pushes a new table with the selected functions of it.
template <std::size_t N>
int push_selection(lua_State* lua, const char* library, lua_CFunction open, const char* const (&names)[N]) {
  luaL_requiref(lua, library, open, 0);
  const int from = lua_gettop(lua);
  lua_newtable(lua);
  for (const char* name : names) copy_function(lua, from, from + 1, name);
  lua_remove(lua, from);
  return from;
}

void set_functions(lua_State* lua, int table,
                   std::initializer_list<std::pair<const char*, lua_CFunction>> functions) {
  for (const auto& [name, function] : functions) {
    lua_pushcfunction(lua, function);
    lua_setfield(lua, table, name);
  }
}

void push_math(lua_State* lua) {
  const int table = push_selection(lua, "math", luaopen_math, kMath);
  luaL_requiref(lua, "math", luaopen_math, 0);
  for (const char* name : kMathNumbers) {
    lua_getfield(lua, -1, name);
    lua_setfield(lua, table, name);
  }
  lua_pop(lua, 1);
  set_functions(lua, table, {{"random", random_number}});
}

void push_string(lua_State* lua) {
  const int table = push_selection(lua, "string", luaopen_string, kString);
  set_functions(lua, table, {{"rep", repeat}, {"find", find_plain}, {"byte", bytes_of}});
  luaL_requiref(lua, "string", luaopen_string, 0);
  lua_getfield(lua, -1, "format");
  lua_pushcclosure(lua, format, 1);
  lua_setfield(lua, table, "format");
  lua_pop(lua, 1);
  // ("text"):upper() finds its functions through the metatable of strings, which must lead to no others.
  lua_pushliteral(lua, "");
  lua_newtable(lua);
  lua_pushvalue(lua, table);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_pop(lua, 1);
}

void push_table(lua_State* lua) {
  const int table = push_selection(lua, "table", luaopen_table, kTable);
  set_functions(lua, table, {{"unpack", unpack}});
  luaL_requiref(lua, "table", luaopen_table, 0);
  lua_getfield(lua, -1, "sort");
  lua_pushcclosure(lua, sort, 1);
  lua_setfield(lua, table, "sort");
  lua_pop(lua, 1);
}

}  // namespace

void push_library(lua_State* lua) {
  const int environment = push_selection(lua, "_G", luaopen_base, kBase);
  set_functions(lua, environment,
                {{"pcall", protected_call},
                 {"tostring", to_string},
                 {"pairs", ordered_pairs},
                 {"next", ordered_next},
                 {"reads", reads},
                 {"writes", writes},
                 {"output", output},
                 {"input", input}});
  push_math(lua);
  lua_setfield(lua, environment, "math");
  push_string(lua);
  lua_setfield(lua, environment, "string");
  push_table(lua);
  lua_setfield(lua, environment, "table");
  lua_newtable(lua);
  lua_pushcfunction(lua, reject_unknown);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, environment);
}

}  // namespace lockstep
