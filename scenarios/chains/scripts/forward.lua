-- A wave along the pitch joints, from the tail to the head.
local amplitude, phase, cycle = 0.5, 1.2, 1.0
local direction = input("direction", "", 1)  -- 1 forward, -1 back; others may set it
local pitch, yaw = {}, {}
for i = 1, 11, 2 do pitch[#pitch + 1] = writes("snake/joint" .. i .. "/target") end
for i = 2, 10, 2 do yaw[#yaw + 1] = writes("snake/joint" .. i .. "/target") end

state.psi = 0  -- what snapshots save

function step(time)
  if time > 0 then state.psi = state.psi + 2 * math.pi * direction() / cycle * period end
  if state.psi > math.pi then state.psi = state.psi - 2 * math.pi end  -- it keeps all its digits near zero
  if state.psi < -math.pi then state.psi = state.psi + 2 * math.pi end
  for k, target in ipairs(pitch) do target(amplitude * math.sin(state.psi + (k - 1) * phase)) end
  for _, target in ipairs(yaw) do target(0) end
end
