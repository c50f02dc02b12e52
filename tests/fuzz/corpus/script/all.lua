local a, b, o, i = reads "a", writes "b", output("o", "m"), input("i", "rad", 1)
local t = {3, 1, 2, x = {y = "z"}}
state.list, state.text, state.flag = {1, 2.5, -3}, "\0\255", true
function step(time)
  for k, v in pairs(t) do state[tostring(k)] = tostring(v) end
  local s = ("ab"):rep(3, ","):upper():sub(2, -2):find("A")
  local u = {table.unpack(t)}
  table.sort(u, function(x, y) return x > y end)
  table.insert(u, 1, math.random(3))
  local ok, e = pcall(error, {})
  b(a() * time + #u + s + i() + (next(t) or 0))
  o(string.format("%5.2f %s %d", time, t, 3):len())
  goto done
  ::done::
end
