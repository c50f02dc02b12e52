#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_set>

#include "base/text.h"
#include "control/lua/sandbox_internal.h"
#include "lockstep/state.h"

/// Ordered iteration and serialization of Lua tables.
namespace lockstep {
namespace {

constexpr std::size_t kMaxDepth = 16;

enum class Tag : std::uint8_t { kFalse, kTrue, kInteger, kNumber, kText, kTableTag };

class Encoder {
 public:
  Encoder(lua_State* lua, std::size_t max_bytes) : lua_(lua), max_bytes_(max_bytes) {}

  /// The table at the top.
  void encode_table() {
    if (path_.size() >= kMaxDepth)
      fail(fmt::format("is nested too deeply; at most {} levels are allowed", kMaxDepth));
    if (!seen_.insert(lua_topointer(lua_, -1)).second) fail("is a table that appears in 'state' twice");
    const int table = lua_gettop(lua_);
    luaL_checkstack(lua_, 4, nullptr);
    const std::optional<std::vector<LuaKey>> keys = ordered_keys(lua_, table);
    if (!keys) fail("has a key that is not a number, string or boolean");
    reject_gaps(*keys);
    writer_.write(static_cast<std::uint64_t>(keys->size()));
    for (const LuaKey& key : *keys) {
      key.push(lua_);
      lua_pushvalue(lua_, -1);
      encode_scalar();
      lua_rawget(lua_, table);
      path_.push_back(&key);
      if (lua_type(lua_, -1) == LUA_TTABLE) {
        writer_.write(Tag::kTableTag);
        encode_table();
        lua_pop(lua_, 1);
      } else {
        encode_scalar();
      }
      path_.pop_back();
    }
  }

  std::vector<std::uint8_t> take() { return {writer_.bytes().begin(), writer_.bytes().end()}; }

 private:
  /// Pops the value at the top.
  void encode_scalar() {
    switch (lua_type(lua_, -1)) {
      case LUA_TBOOLEAN:
        writer_.write(lua_toboolean(lua_, -1) != 0 ? Tag::kTrue : Tag::kFalse);
        break;
      case LUA_TNUMBER:
        if (lua_isinteger(lua_, -1) != 0) {
          writer_.write(Tag::kInteger);
          writer_.write(static_cast<std::int64_t>(lua_tointeger(lua_, -1)));
        } else {
          writer_.write(Tag::kNumber);
          writer_.write(static_cast<double>(lua_tonumber(lua_, -1)));
        }
        break;
      case LUA_TSTRING: {
        std::size_t size = 0;
        const char* text = lua_tolstring(lua_, -1, &size);
        writer_.write(Tag::kText);
        writer_.write(std::string_view(text, size));
        break;
      }
      default:
        fail(fmt::format("is a {}; expected a number, string, boolean or a table of these",
                         luaL_typename(lua_, -1)));
    }
    lua_pop(lua_, 1);
    check_size();
  }

  /// Rejects gaps: the length of a table with gaps is not defined.
  void reject_gaps(const std::vector<LuaKey>& keys) {
    lua_Integer expected = 1;
    for (const LuaKey& key : keys) {
      if (key.kind != LuaKey::Kind::kInteger || key.integer < 1) continue;
      if (key.integer != expected++) {
        fail(fmt::format("has an entry {} but no entry {}; expected consecutive integers from 1", key.integer,
                         expected - 1));
      }
    }
  }

  void check_size() {
    if (writer_.bytes().size() > max_bytes_) {
      luaL_error(lua_, "'state' takes more than %I bytes when it is saved",
                 static_cast<LUAI_UACINT>(max_bytes_));
    }
  }

  [[noreturn]] void fail(const std::string& text) {
    std::string where = "state";
    for (const LuaKey* key : path_) {
      switch (key->kind) {
        case LuaKey::Kind::kInteger:
          where += fmt::format("[{}]", key->integer);
          break;
        case LuaKey::Kind::kNumber:
          where += fmt::format("[{}]", key->number);
          break;
        case LuaKey::Kind::kText:
          where += fmt::format(".{}", shown_text(key->text));
          break;
        default:
          where += key->kind == LuaKey::Kind::kTrue ? "[true]" : "[false]";
      }
    }
    luaL_error(lua_, "%s %s", where.c_str(), text.c_str());
    std::abort();  // luaL_error() never returns
  }

  lua_State* lua_;
  std::size_t max_bytes_;
  StateWriter writer_;
  std::unordered_set<const void*> seen_;  // looked up only
  std::vector<const LuaKey*> path_;
};

class Decoder {
 public:
  Decoder(lua_State* lua, std::span<const std::uint8_t> bytes)
      : lua_(lua), reader_(bytes), max_count_(bytes.size()) {}

  void fill_table(std::size_t depth) {
    if (depth > kMaxDepth) throw StateError("a table of a script is nested too deeply");
    const auto count = reader_.read<std::uint64_t>();
    if (count > max_count_) throw StateError("a table of a script is too long");
    luaL_checkstack(lua_, 4, nullptr);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Tag key = read_tag();
      if (key == Tag::kTableTag) throw StateError("a table of a script has a table as key");
      push_scalar(key);
      const Tag tag = read_tag();
      if (tag == Tag::kTableTag) {
        lua_newtable(lua_);
        fill_table(depth + 1);
      } else {
        push_scalar(tag);
      }
      lua_rawset(lua_, -3);
    }
  }
  bool at_end() const { return reader_.at_end(); }

 private:
  Tag read_tag() {
    const Tag tag = reader_.read<Tag>();
    if (tag > Tag::kTableTag) throw StateError("the state of a script has a value of an unknown type");
    return tag;
  }

  void push_scalar(Tag tag) {
    switch (tag) {
      case Tag::kFalse:
      case Tag::kTrue:
        lua_pushboolean(lua_, tag == Tag::kTrue ? 1 : 0);
        return;
      case Tag::kInteger:
        lua_pushinteger(lua_, reader_.read<std::int64_t>());
        return;
      case Tag::kNumber:
        lua_pushnumber(lua_, reader_.read<double>());
        return;
      default: {
        const std::string text = reader_.read_string(max_count_);
        lua_pushlstring(lua_, text.data(), text.size());
      }
    }
  }

  lua_State* lua_;
  StateReader reader_;
  std::size_t max_count_;
};

}  // namespace

bool LuaKey::operator<(const LuaKey& other) const {
  return std::tie(kind, integer, number, text) < std::tie(other.kind, other.integer, other.number, other.text);
}

void LuaKey::push(lua_State* lua) const {
  switch (kind) {
    case Kind::kInteger:
      return lua_pushinteger(lua, integer);
    case Kind::kNumber:
      return lua_pushnumber(lua, number);
    case Kind::kText:
      lua_pushlstring(lua, text.data(), text.size());
      return;
    case Kind::kFalse:
    case Kind::kTrue:
      return lua_pushboolean(lua, kind == Kind::kTrue ? 1 : 0);
  }
}

std::optional<std::vector<LuaKey>> ordered_keys(lua_State* lua, int table) {
  std::vector<LuaKey> keys;
  for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
    LuaKey key;
    if (lua_isinteger(lua, -2) != 0) {
      key = {.kind = LuaKey::Kind::kInteger, .integer = lua_tointeger(lua, -2)};
    } else if (lua_type(lua, -2) == LUA_TNUMBER) {
      key = {.kind = LuaKey::Kind::kNumber, .number = lua_tonumber(lua, -2)};
    } else if (lua_type(lua, -2) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, -2, &size);
      key = {.kind = LuaKey::Kind::kText, .text = {text, size}};
    } else if (lua_type(lua, -2) == LUA_TBOOLEAN) {
      key.kind = lua_toboolean(lua, -2) != 0 ? LuaKey::Kind::kTrue : LuaKey::Kind::kFalse;
    } else {
      lua_pop(lua, 2);
      return std::nullopt;
    }
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::uint8_t> encode_table(lua_State* lua, std::size_t max_bytes) {
  Encoder encoder(lua, max_bytes);
  encoder.encode_table();
  return encoder.take();
}

void decode_table(lua_State* lua, std::span<const std::uint8_t> bytes) {
  const int table = lua_gettop(lua);
  for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_settop(lua, table + 1)) {
    lua_pushvalue(lua, table + 1);
    lua_pushnil(lua);
    lua_rawset(lua, table);
  }
  // An exception other than Lua's would lose its text on its way through Lua.
  std::string error;
  try {
    Decoder decoder(lua, bytes);
    decoder.fill_table(1);
    if (!decoder.at_end()) error = "it is longer than the table";
  } catch (const StateError& wrong) {
    error = wrong.what();
  }
  if (!error.empty()) luaL_error(lua, "%s", error.c_str());
}

}  // namespace lockstep
