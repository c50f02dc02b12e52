#include "simulation/event.h"

#include <span>

namespace lockstep {
namespace {

void write_vec3(StateWriter& writer, const Vec3& v) {
  writer.write(std::span<const double>(v.data(), 3));
}

Vec3 read_vec3(StateReader& reader) {
  Vec3 v;
  reader.read_into(std::span<double>(v.data(), 3));
  return v;
}

}  // namespace

void write_event(StateWriter& writer, const Event& event) {
  writer.write(event.step);
  writer.write(event.priority);
  writer.write(static_cast<std::uint8_t>(event.action.index()));
  if (const auto* set = std::get_if<SetSignal>(&event.action)) {
    writer.write(static_cast<std::uint64_t>(set->slot));
    writer.write(set->value);
  } else if (const auto* hold = std::get_if<SetAttached>(&event.action)) {
    writer.write(static_cast<std::int32_t>(hold->joint));
    writer.write(hold->attached);
  } else if (const auto* push = std::get_if<Push>(&event.action)) {
    writer.write(static_cast<std::int32_t>(push->body));
    write_vec3(writer, push->wrench.force);
    write_vec3(writer, push->wrench.torque);
    writer.write(push->steps);
  } else if (const auto* fault = std::get_if<SetFault>(&event.action)) {
    writer.write(static_cast<std::int32_t>(fault->fault));
    writer.write(fault->on);
    writer.write(fault->steps);
  } else if (const auto* pull = std::get_if<Pull>(&event.action)) {
    writer.write(static_cast<std::int32_t>(pull->body));
    write_vec3(writer, pull->point);
    write_vec3(writer, pull->target);
    writer.write(pull->stiffness);
    writer.write(pull->damping);
  } else if (const auto* joint = std::get_if<SetJoint>(&event.action)) {
    writer.write(static_cast<std::int32_t>(joint->joint));
    writer.write(joint->position);
  }
}

Event read_event(StateReader& reader) {
  Event event;
  event.step = reader.read<std::int64_t>();
  event.priority = reader.read<std::int32_t>();
  switch (reader.read<std::uint8_t>()) {
    case 0: {
      SetSignal set;
      set.slot = Slot{reader.read<std::uint64_t>()};
      set.value = reader.read<double>();
      event.action = set;
      break;
    }
    case 1: {
      SetAttached hold;
      hold.joint = JointId{reader.read<std::int32_t>()};
      hold.attached = reader.read<bool>();
      event.action = hold;
      break;
    }
    case 2: {
      Push push;
      push.body = BodyId{reader.read<std::int32_t>()};
      push.wrench.force = read_vec3(reader);
      push.wrench.torque = read_vec3(reader);
      push.steps = reader.read<std::int64_t>();
      event.action = push;
      break;
    }
    case 3:
      event.action = Stop{};
      break;
    case 4: {
      SetFault fault;
      fault.fault = FaultId{reader.read<std::int32_t>()};
      fault.on = reader.read<bool>();
      fault.steps = reader.read<std::int64_t>();
      event.action = fault;
      break;
    }
    case 5: {
      Pull pull;
      pull.body = BodyId{reader.read<std::int32_t>()};
      pull.point = read_vec3(reader);
      pull.target = read_vec3(reader);
      pull.stiffness = reader.read<double>();
      pull.damping = reader.read<double>();
      event.action = pull;
      break;
    }
    case 6: {
      SetJoint joint;
      joint.joint = JointId{reader.read<std::int32_t>()};
      joint.position = reader.read<double>();
      event.action = joint;
      break;
    }
    default:
      throw StateError("unknown kind of event");
  }
  return event;
}

}  // namespace lockstep
