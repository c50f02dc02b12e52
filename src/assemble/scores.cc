#include "assemble/scores.h"

namespace lockstep {

std::vector<std::string> list_scores(const Scenario& scenario) {
  std::vector<std::string> names;
  const auto add = [&](const Devices& devices, const std::string& prefix) {
    for (const Element& element : devices.sensors) {
      const Attribute* name = element.find_attribute("name");
      if (element.name == "score" && name != nullptr) names.push_back(prefix + name->value);
    }
  };
  for (const Robot& robot : scenario.robots) add(robot.devices, robot.name + "/");
  add(scenario.devices, "");
  return names;
}

std::vector<std::pair<std::string, double>> read_scores(const Scenario& scenario,
                                                        const Simulation& simulation) {
  std::vector<std::pair<std::string, double>> scores;
  for (const std::string& name : list_scores(scenario)) {
    if (const auto slot = simulation.signals().find(name + "/points"))
      scores.emplace_back(name, simulation.row()[*slot]);
  }
  return scores;
}

}  // namespace lockstep
