#include <algorithm>
#include <cstdlib>

#include "control/lua/sandbox_internal.h"

namespace lockstep {
namespace {

// Instructions between two checks of the limit.
constexpr int kCheckEvery = 100;
/// Instructions between two questions whether the call is cancelled: some milliseconds.
constexpr std::int64_t kAskEvery = 100'000;
// Lua copies and compares strings without counting. Up to this size that takes microseconds.
constexpr std::size_t kMaxBlock = 256u << 10;
// Filling a block of this size or more takes time, and is charged by its bytes.
constexpr std::size_t kLargeBlock = 1u << 10;
constexpr std::size_t kBytesOfBlockPerInstruction = 64;

constexpr std::size_t kMaxMessage = 500;
constexpr int kStackForOurselves = 200;

// Keys of our entries in the Lua registry. By address, because looking up a string may allocate.
constexpr char kKeys[3] = {};
constexpr const char* kStep = &kKeys[0];
constexpr const char* kState = &kKeys[1];
constexpr const char* kWatched = &kKeys[2];

/// An error text from a script may contain anything; makes it one line of printable ASCII.
std::string printable(std::string_view text) {
  std::string result(text.substr(0, kMaxMessage));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = c == '\n' || c == '\t' ? ' ' : '?';
  }
  return text.size() > kMaxMessage ? result + "..." : result;
}

/// Parses "script:12: text".
LuaError make_error(std::string_view message) {
  constexpr std::string_view kPrefix = "script:";
  int line = 0;
  if (message.starts_with(kPrefix)) {
    std::string_view rest = message.substr(kPrefix.size());
    const std::size_t end = rest.find_first_not_of("0123456789");
    if (end != std::string_view::npos && end > 0 && end < 8 && rest.substr(end).starts_with(": ")) {
      line = std::atoi(std::string(rest.substr(0, end)).c_str());
      message = rest.substr(end + 2);
    }
  }
  return {line, printable(message)};
}

}  // namespace

int find_line(lua_State* lua) {
  lua_Debug where;
  for (int level = 0; lua_getstack(lua, level, &where) != 0; ++level) {
    lua_getinfo(lua, "l", &where);
    if (where.currentline > 0) return where.currentline;
  }
  return 0;
}

LuaSandbox::LuaSandbox(const LuaLimits& limits, const Random& random) : limits_(limits), random_(random) {
  lua_ = lua_newstate(allocate, this);
  if (lua_ == nullptr)
    throw LuaError(0, fmt::format("{} bytes of memory are too few for a script", limits.memory));
  *static_cast<LuaSandbox**>(lua_getextraspace(lua_)) = this;
}

LuaSandbox::~LuaSandbox() {
  if (lua_ != nullptr) lua_close(lua_);
}

void* LuaSandbox::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  LuaSandbox& sandbox = *static_cast<LuaSandbox*>(self);
  if (block == nullptr) old_size = 0;  // Lua then passes a type instead of a size
  if (new_size == 0) {
    std::free(block);
    sandbox.used_ -= static_cast<std::int64_t>(old_size);
    return nullptr;
  }
  const std::int64_t used =
      sandbox.used_ + static_cast<std::int64_t>(new_size) - static_cast<std::int64_t>(old_size);
  const bool grows = new_size > old_size;
  if (grows && (used > sandbox.limits_.memory || new_size > kMaxBlock)) {
    // Lua collects garbage and retries; by the time it gives up, the line is lost.
    if (sandbox.lua_ != nullptr) sandbox.memory_line_ = find_line(sandbox.lua_);
    return nullptr;
  }
  if (new_size >= kLargeBlock)
    sandbox.budget_ -= static_cast<std::int64_t>(new_size / kBytesOfBlockPerInstruction);
  void* result = std::realloc(block, new_size);
  if (result != nullptr) sandbox.used_ = used;
  return result;
}

void LuaSandbox::stop(lua_State* lua, const std::string& message) {
  is_stopped_ = true;
  lua_pushlstring(lua, message.data(), message.size());
  lua_error(lua);
  std::abort();  // lua_error() never returns
}

void LuaSandbox::count(lua_State* lua, lua_Debug*) {
  of(lua).charge(lua, kCheckEvery);
}

void LuaSandbox::charge(lua_State* lua, std::uint64_t work) {
  constexpr std::uint64_t kAnyAmount = 1u << 30;
  budget_ -= static_cast<std::int64_t>(std::min(work, kAnyAmount));
  if (budget_ < next_question_ && row_ && cancelled_) {
    next_question_ = budget_ - kAskEvery;
    is_cancelled_ = cancelled_();
    if (is_cancelled_) stop(lua, "cancelled");
  }
  if (budget_ >= 0) return;
  stop(lua, fmt::format("script:{}: took more than {} instructions in one call", find_line(lua),
                        limits_.instructions));
}

std::string LuaSandbox::memory_message() const {
  return fmt::format("script:{}: exceeds the memory of a script ({} bytes, {} in one block)", memory_line_,
                     limits_.memory, kMaxBlock);
}

void LuaSandbox::reject_memory(lua_State* lua) {
  stop(lua, memory_message());
}

/// Error handler: adds the line to errors raised by library functions.
int LuaSandbox::explain(lua_State* lua) {
  if (lua_type(lua, 1) != LUA_TSTRING) {
    lua_pushfstring(lua, "script:%d: raised a %s as its error; expected a string", find_line(lua),
                    luaL_typename(lua, 1));
    return 1;
  }
  const std::string_view message(lua_tostring(lua, 1));
  if (message.starts_with("script:")) return 1;
  lua_pushfstring(lua, "script:%d: ", find_line(lua));
  lua_insert(lua, 1);
  lua_concat(lua, 2);
  return 1;
}

void LuaSandbox::throw_error(int status) {
  std::string message;
  if (status == LUA_ERRMEM) {
    message = memory_message();
  } else if (lua_type(lua_, -1) == LUA_TSTRING) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua_, -1, &size);
    message.assign(text, size);
  } else {
    message = "failed without a message";
  }
  lua_settop(lua_, 0);
  throw make_error(message);
}

void LuaSandbox::call(int arguments) {
  budget_ = limits_.instructions;
  next_question_ = budget_ - kAskEvery;
  is_stopped_ = is_cancelled_ = false;
  memory_line_ = 0;
  lua_sethook(lua_, count, LUA_MASKCOUNT, kCheckEvery);
  const int function = lua_gettop(lua_) - arguments;
  lua_pushcfunction(lua_, explain);
  lua_insert(lua_, function);
  const int status = lua_pcall(lua_, arguments, 0, function);
  lua_sethook(lua_, nullptr, 0, 0);
  if (status != LUA_OK) throw_error(status);
  lua_settop(lua_, 0);
}

const LuaHost& LuaSandbox::host_while_loading(lua_State* lua, const char* function) const {
  if (host_ == nullptr) {
    luaL_error(lua, "%s() must be called while loading, outside step()", function);
  }
  return *host_;
}

Row LuaSandbox::row_while_stepping(lua_State* lua) const {
  if (!row_) luaL_error(lua, "signals have values only in step(), not while loading");
  return *row_;
}

void LuaSandbox::load(const std::string& text, const LuaHost& host, double period) {
  struct Request {
    const std::string& text;
    double period;
  } request{text, period};
  const auto run = [](lua_State* lua) {
    const Request& wanted = *static_cast<const Request*>(lua_touserdata(lua, 1));
    lua_settop(lua, 0);
    luaL_checkstack(lua, kStackForOurselves, nullptr);
    push_library(lua);  // 1, the environment of the script
    lua_pushnumber(lua, wanted.period);
    lua_setfield(lua, 1, "period");
    lua_newtable(lua);  // 2
    lua_pushvalue(lua, 2);
    lua_setfield(lua, 1, "state");
    lua_pushvalue(lua, 2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, kState);

    if (luaL_loadbufferx(lua, wanted.text.data(), wanted.text.size(), "=script", "t") != LUA_OK) lua_error(lua);
    lua_pushvalue(lua, 1);
    lua_setupvalue(lua, -2, 1);
    lua_call(lua, 0, 0);

    lua_pushstring(lua, "step");
    lua_rawget(lua, 1);
    if (lua_type(lua, -1) != LUA_TFUNCTION) luaL_error(lua, "the script has no function step(time)");
    lua_rawsetp(lua, LUA_REGISTRYINDEX, kStep);
    lua_pushstring(lua, "state");
    lua_rawget(lua, 1);
    if (lua_rawequal(lua, -1, 2) == 0)
      luaL_error(lua, "'state' was replaced; write into it instead: state.x = ...");
    lua_pop(lua, 1);
    freeze(lua, 1, 2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, kWatched);
    of(lua).encode_state(lua);
    return 0;
  };
  host_ = &host;
  cancelled_ = host.cancelled;
  lua_pushcfunction(lua_, run);
  lua_pushlightuserdata(lua_, &request);
  call(1);
  host_ = nullptr;
}

void LuaSandbox::step(double time, Row row) {
  const auto run = [](lua_State* lua) {
    luaL_checkstack(lua, kStackForOurselves, nullptr);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, kStep);
    lua_insert(lua, 1);
    lua_call(lua, 1, 0);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, kWatched);
    check_watched(lua, 1);
    of(lua).encode_state(lua);
    return 0;
  };
  row_ = row;
  lua_pushcfunction(lua_, run);
  lua_pushnumber(lua_, time);
  try {
    call(1);
  } catch (const LuaError&) {
    row_.reset();
    throw;
  }
  row_.reset();
}

/// Done at every step, so that a value that cannot be saved is an error at once and not at the next snapshot.
void LuaSandbox::encode_state(lua_State* lua) {
  lua_rawgetp(lua, LUA_REGISTRYINDEX, kState);
  state_ = encode_table(lua, static_cast<std::size_t>(limits_.state));
}

void LuaSandbox::save(StateWriter& writer) const {
  random_.save(writer);
  writer.write(std::span<const std::uint8_t>(state_));
}

void LuaSandbox::restore(StateReader& reader) {
  random_.restore(reader);
  std::vector<std::uint8_t> bytes = reader.read_vector<std::uint8_t>(static_cast<std::size_t>(limits_.state));
  const auto run = [](lua_State* lua) {
    const auto& given = *static_cast<const std::vector<std::uint8_t>*>(lua_touserdata(lua, 1));
    lua_settop(lua, 0);
    luaL_checkstack(lua, kStackForOurselves, nullptr);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, kState);
    decode_table(lua, given);
    return 0;
  };
  lua_pushcfunction(lua_, run);
  lua_pushlightuserdata(lua_, &bytes);
  try {
    call(1);
  } catch (const LuaError& error) {
    throw StateError(fmt::format("the state of a script does not fit: {}", error.what()));
  }
  state_ = std::move(bytes);
}

}  // namespace lockstep
