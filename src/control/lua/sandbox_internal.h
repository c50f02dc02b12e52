#pragma once

#include <cstdint>
#include <lua.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/lua/lua_controller.h"

/// Lua is compiled as C++ and raises its errors as C++ exceptions, so that objects on the C++ stack are
/// destroyed when a script fails.
namespace lockstep {

/// One Lua state, reduced to safe library functions and with limits on instructions and memory.
class LuaSandbox {
 public:
  LuaSandbox(const LuaLimits& limits, const Random& random);
  ~LuaSandbox();
  LuaSandbox(const LuaSandbox&) = delete;
  LuaSandbox& operator=(const LuaSandbox&) = delete;

  /// Runs the script, freezes its globals and finds its step function. Throws LuaError.
  void load(const std::string& text, const LuaHost& host, double period);

  /// Calls step(). Throws LuaError.
  void step(double time, Row row);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

  static LuaSandbox& of(lua_State* lua) { return **static_cast<LuaSandbox**>(lua_getextraspace(lua)); }

  /// Charges work to the instruction budget of this call; raises a Lua error if the budget is exhausted.
  void charge(lua_State* lua, std::uint64_t work);
  /// Whether the last step() was ended because the host cancelled it.
  bool is_cancelled() const { return is_cancelled_; }
  /// Whether a limit was exceeded, an error that the script cannot catch.
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
  std::int64_t used_ = 0;            // bytes
  std::int64_t budget_ = 0;          // instructions left in this call
  std::int64_t next_question_ = 0;   // budget left at which to ask the host again
  std::function<bool()> cancelled_;  // of the host
  bool is_cancelled_ = false;
  bool is_stopped_ = false;
  int memory_line_ = 0;              // line at which an allocation was rejected
  const LuaHost* host_ = nullptr;    // only while loading
  std::optional<Row> row_;           // only during step()
  std::vector<std::uint8_t> state_;  // the table `state`, as saved
};

/// The line of the script that is running; 0 if there is none.
int find_line(lua_State* lua);

/// Pushes a table with all functions that a script can call.
void push_library(lua_State* lua);

/// Makes everything reachable from the table at `environment` constant, except the table at `state` and its
/// contents, and pushes a list of the local variables to check after each step.
void freeze(lua_State* lua, int environment, int state);

/// Raises an error if a local variable of the list at `watched` has changed.
void check_watched(lua_State* lua, int watched);

/// Pushes the contents of a table that freeze() has made constant; any other table is pushed unchanged.
void push_contents(lua_State* lua, int table);

/// A table key with a defined iteration order: integers, other numbers, strings, booleans.
struct LuaKey {
  enum class Kind { kInteger, kNumber, kText, kFalse, kTrue };
  Kind kind = Kind::kInteger;
  lua_Integer integer = 0;
  lua_Number number = 0.0;
  std::string_view text;

  bool operator<(const LuaKey& other) const;
  void push(lua_State* lua) const;
};

/// The keys of the table at `table`, in order; nothing if one of them has no defined order.
std::optional<std::vector<LuaKey>> ordered_keys(lua_State* lua, int table);

/// Serializes the table at the top. Raises an error if it holds a value that cannot be saved.
std::vector<std::uint8_t> encode_table(lua_State* lua, std::size_t max_bytes);

/// Replaces the contents of the table at the top. Raises an error if the bytes are not a serialized table.
void decode_table(lua_State* lua, std::span<const std::uint8_t> bytes);

}  // namespace lockstep
