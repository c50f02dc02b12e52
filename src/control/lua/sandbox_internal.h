#pragma once

#include <cstdint>
#include <lua.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/lua/lua_controller.h"

/// Lua is linked in the build that raises its errors as C++ exceptions, so that objects on the C++ stack are
/// destroyed when a script fails.
namespace lockstep {

/// One Lua state with everything that a script could misuse taken out, and with limits on the rest.
class LuaSandbox {
 public:
  LuaSandbox(const LuaLimits& limits, const Random& random);
  ~LuaSandbox();
  LuaSandbox(const LuaSandbox&) = delete;
  LuaSandbox& operator=(const LuaSandbox&) = delete;

  /// Runs the script, freezes what it made and finds its step function. Throws LuaError.
  void load(const std::string& text, const LuaHost& host, double period);

  /// Calls step(). Throws LuaError.
  void step(double time, Row row);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

  static LuaSandbox& of(lua_State* lua) { return **static_cast<LuaSandbox**>(lua_getextraspace(lua)); }

  /// Takes work from what is left of the limit of this call; raises an error of Lua if that is not enough.
  void charge(lua_State* lua, std::uint64_t work);
  /// Whether a limit was exceeded: nothing in the script may catch that.
  bool is_stopped() const { return is_stopped_; }
  [[noreturn]] void reject_memory(lua_State* lua);

  const LuaHost& host_while_loading(lua_State* lua, const char* function) const;
  Row row_while_stepping(lua_State* lua) const;
  Random& random() { return random_; }

 private:
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  static void count(lua_State* lua, lua_Debug* where);
  static int explain(lua_State* lua);

  [[noreturn]] void stop(lua_State* lua, const std::string& message);
  std::string memory_message() const;
  /// Calls the function below `arguments` values on the stack. Throws LuaError.
  void call(int arguments);
  [[noreturn]] void throw_error(int status);
  void encode_state(lua_State* lua);

  LuaLimits limits_;
  Random random_;
  lua_State* lua_ = nullptr;
  std::int64_t used_ = 0;    // bytes
  std::int64_t budget_ = 0;  // instructions left in this call
  bool is_stopped_ = false;
  int memory_line_ = 0;              // where memory was rejected
  const LuaHost* host_ = nullptr;    // only while it is loaded
  std::optional<Row> row_;           // only while it steps
  std::vector<std::uint8_t> state_;  // the table `state`, as saved
};

/// The line of the script that is running; 0 if there is none.
int find_line(lua_State* lua);

/// Leaves a table with all that a script can call.
void push_library(lua_State* lua);

/// Makes everything that can be reached from the table at `environment` constant, but for the table at `state`
/// and what is in it, and leaves a list of the local variables to look after.
void freeze(lua_State* lua, int environment, int state);

/// Raises an error if a local variable of the list at `watched` has changed.
void check_watched(lua_State* lua, int watched);

/// The real contents of a table that freeze() has made constant; any other table stays as it is.
void push_contents(lua_State* lua, int table);

/// A key that has a place in the order in which tables are gone through: whole numbers, other numbers, texts,
/// truths.
struct LuaKey {
  enum class Kind { kInteger, kNumber, kText, kFalse, kTrue };
  Kind kind = Kind::kInteger;
  lua_Integer integer = 0;
  lua_Number number = 0.0;
  std::string_view text;

  bool operator<(const LuaKey& other) const;
  void push(lua_State* lua) const;
};

/// The keys of the table at `table`, in order; nothing if one of them has no place in it.
std::optional<std::vector<LuaKey>> ordered_keys(lua_State* lua, int table);

/// The table at the top as bytes. Raises an error if it holds what cannot be saved.
std::vector<std::uint8_t> encode_table(lua_State* lua, std::size_t max_bytes);

/// Replaces what is in the table at the top. Raises an error if the bytes are none of a table.
void decode_table(lua_State* lua, std::span<const std::uint8_t> bytes);

}  // namespace lockstep
