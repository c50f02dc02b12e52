#include "control/lua/sandbox_internal.h"

/// All data that a script keeps must be in `state`, or a snapshot would lose it. So everything else that it
/// created while loading becomes constant: tables move their contents to a hidden table and reject changes, and
/// local variables shared by functions (upvalues) are checked for changes.
namespace lockstep {
namespace {

constexpr int kContents = 1;  // index of the hidden table in the metatable of a constant table

int reject_global(lua_State* lua) {
  const char* name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
  return luaL_error(lua, "sets the global '%s', which would be lost; keep it in 'state', or make it local",
                    name);
}

int reject_change(lua_State* lua) {
  return luaL_error(lua,
                    "changes a table that was created while loading, which would be lost; keep it in "
                    "'state'");
}

int length_of_contents(lua_State* lua) {
  lua_pushinteger(lua, luaL_len(lua, lua_upvalueindex(1)));
  return 1;
}

/// Traverses all reachable objects with a queue instead of recursion: a script may nest as deep as memory
/// allows.
class Freezer {
 public:
  Freezer(lua_State* lua, int environment, int state) : lua_(lua), environment_(environment), state_(state) {
    lua_newtable(lua_);
    watched_ = lua_gettop(lua_);
    lua_newtable(lua_);
    inside_ = lua_gettop(lua_);
    lua_newtable(lua_);
    queue_ = lua_gettop(lua_);
    lua_newtable(lua_);
    seen_ = lua_gettop(lua_);
  }

  /// Pushes the list of variables to check.
  void run() {
    find_inside_of_state();
    visit(environment_);
    for (lua_Integer i = 1; i <= queued_; ++i) {
      lua_rawgeti(lua_, queue_, i);
      const int object = lua_gettop(lua_);
      if (lua_type(lua_, object) == LUA_TFUNCTION) {
        watch_function(object);
      } else if (lua_rawequal(lua_, object, state_) == 0) {
        freeze_table(object);
      }
      lua_settop(lua_, object - 1);
    }
    lua_settop(lua_, watched_);
  }

 private:
  bool mark(int set, int object) {
    lua_pushvalue(lua_, object);
    const bool is_new = lua_rawget(lua_, set) == LUA_TNIL;
    lua_pop(lua_, 1);
    if (!is_new) return false;
    lua_pushvalue(lua_, object);
    lua_pushboolean(lua_, 1);
    lua_rawset(lua_, set);
    return true;
  }

  void enqueue(int object) {
    lua_pushvalue(lua_, object);
    lua_rawseti(lua_, queue_, ++queued_);
  }

  void visit(int object) {
    const int type = lua_type(lua_, object);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION) return;
    if (mark(seen_, object)) enqueue(object);
  }

  void find_inside_of_state() {
    enqueue(state_);
    for (lua_Integer i = 1; i <= queued_; ++i) {
      lua_rawgeti(lua_, queue_, i);
      const int table = lua_gettop(lua_);
      for (lua_pushnil(lua_); lua_next(lua_, table) != 0; lua_settop(lua_, table + 1)) {
        if (lua_type(lua_, -1) == LUA_TTABLE && mark(inside_, table + 2)) enqueue(table + 2);
      }
      lua_settop(lua_, table - 1);
    }
    queued_ = 0;
  }

  void freeze_table(int table) {
    lua_pushvalue(lua_, table);
    if (lua_rawget(lua_, inside_) != LUA_TNIL) {
      luaL_error(lua_, "a table inside 'state' is also kept in a variable; access it through 'state'");
    }
    lua_pop(lua_, 1);
    lua_newtable(lua_);
    const int contents = lua_gettop(lua_);
    for (lua_pushnil(lua_); lua_next(lua_, table) != 0; lua_settop(lua_, contents + 1)) {
      visit(contents + 1);
      visit(contents + 2);
      lua_pushvalue(lua_, contents + 1);
      lua_pushvalue(lua_, contents + 2);
      lua_rawset(lua_, contents);
    }
    for (lua_pushnil(lua_); lua_next(lua_, contents) != 0; lua_settop(lua_, contents + 1)) {
      lua_pushvalue(lua_, contents + 1);
      lua_pushnil(lua_);
      lua_rawset(lua_, table);
    }
    if (lua_getmetatable(lua_, table) != 0) lua_setmetatable(lua_, contents);
    lua_newtable(lua_);
    lua_pushvalue(lua_, contents);
    lua_rawseti(lua_, -2, kContents);
    lua_pushvalue(lua_, contents);
    lua_setfield(lua_, -2, "__index");
    lua_pushcfunction(lua_, lua_rawequal(lua_, table, environment_) != 0 ? reject_global : reject_change);
    lua_setfield(lua_, -2, "__newindex");
    lua_pushvalue(lua_, contents);
    lua_pushcclosure(lua_, length_of_contents, 1);
    lua_setfield(lua_, -2, "__len");
    lua_setmetatable(lua_, table);
  }

  /// A function, the number of the variable, and its value.
  void watch_function(int function) {
    if (lua_iscfunction(lua_, function) != 0) return;
    for (int i = 1; lua_getupvalue(lua_, function, i) != nullptr; ++i) {
      visit(function + 1);
      lua_rawseti(lua_, watched_, count_ + 3);
      lua_pushinteger(lua_, i);
      lua_rawseti(lua_, watched_, count_ + 2);
      lua_pushvalue(lua_, function);
      lua_rawseti(lua_, watched_, count_ + 1);
      count_ += 3;
    }
  }

  lua_State* lua_;
  int environment_, state_;
  int watched_, inside_, queue_, seen_;  // tables on the stack
  lua_Integer queued_ = 0;
  lua_Integer count_ = 0;  // entries in watched
};

}  // namespace

void freeze(lua_State* lua, int environment, int state) {
  Freezer(lua, environment, state).run();
}

void check_watched(lua_State* lua, int watched) {
  const auto count = static_cast<lua_Integer>(lua_rawlen(lua, watched));
  for (lua_Integer i = 0; i < count; i += 3) {
    lua_rawgeti(lua, watched, i + 1);
    lua_rawgeti(lua, watched, i + 2);
    lua_rawgeti(lua, watched, i + 3);
    const char* name = lua_getupvalue(lua, -3, static_cast<int>(lua_tointeger(lua, -2)));
    if (lua_rawequal(lua, -1, -2) == 0) {
      lua_pop(lua, 3);
      lua_Debug where;
      lua_getinfo(lua, ">S", &where);
      lua_pushfstring(lua,
                      "script:%d: step() has changed the outer local variable '%s', which would be lost; "
                      "keep it in 'state'",
                      where.linedefined, name);
      lua_error(lua);
    }
    lua_pop(lua, 4);
  }
}

void push_contents(lua_State* lua, int table) {
  if (lua_getmetatable(lua, table) != 0) {
    const bool is_constant = lua_rawgeti(lua, -1, kContents) == LUA_TTABLE;
    lua_remove(lua, -2);
    if (is_constant) return;
    lua_pop(lua, 1);
  }
  lua_pushvalue(lua, table);
}

}  // namespace lockstep
