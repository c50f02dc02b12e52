#include "simulation/energy_balance.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr double kGainOfRest = 0.1;  // J/kg

}  // namespace

double EnergyBalance::total_work() const {
  double sum = 0.0;
  for (const auto& [name, joules] : work) sum += joules;
  return sum;
}

double calc_gained_energy(const Work& work) {
  return work.unexplained + std::max(0.0, work.contacts);
}

double calc_largest_gain(const WorldReport& report, double bound, double moving_mass) {
  double exchanged = report.energy.kinetic + std::abs(report.work.damping) + std::abs(report.work.friction) +
                     std::abs(report.work.contacts);
  for (const double joules : report.work.by_source) exchanged += std::abs(joules);
  return bound * exchanged + kGainOfRest * moving_mass;
}

double calc_moving_mass(const Model& model) {
  std::vector<bool> moves(model.bodies.size(), false);
  double mass = 0.0;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    const bool has_joint = body.joint && model.joint(*body.joint).type != JointType::kFixed;
    moves[i] = has_joint || moves[index(body.parent)];
    if (moves[i]) mass += body.mass.mass;
  }
  return mass;
}

}  // namespace lockstep
