#include <algorithm>
#include <array>
#include <cmath>

#include "formats/mjcf/importer_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {
namespace {

void read_choices(const MjcfImport& import, const Element& option, EngineOptions& engine, MujocoOptions& own) {
  const std::string integrator = XmlValues::text(option, "integrator"),
                    solver = XmlValues::text(option, "solver"), cone = XmlValues::text(option, "cone");
  if (integrator == "RK4") engine.integrator = Integrator::kRk4;
  if (integrator == "implicit" || integrator == "implicitfast") engine.integrator = Integrator::kImplicit;
  if (integrator == "implicitfast")
    import.source.differ(option.place, "integrator 'implicitfast': 'implicit' is used");
  if (solver == "CG") own.solver = Solver::kCg;
  if (solver == "PGS") own.solver = Solver::kPgs;
  if (own.solver != Solver::kNewton)
    import.source.differ(option.place,
                         "solver '" + solver + "': where it stops depends on the order of contacts");
  if (cone == "elliptic") own.cone = FrictionCone::kElliptic;
  if (XmlValues::text(option, "collision") == "predefined")
    import.source.differ(option.place, "collision 'predefined' of <option>");
}

/// Flags that omit whole elements, or attributes of joints.
constexpr std::array<std::string_view, 4> kSkipped = {"actuation", "equality", "limit", "frictionloss"};

/// False if a flag disables all contacts.
bool read_flags(const MjcfImport& import, const Element& flag) {
  bool has_contacts = true;
  for (const Attribute& attribute : flag.attributes) {
    const bool is_off = attribute.value == "disable";
    if (attribute.name == "gravity" && is_off) {
      import.scenario.gravity.setZero();
    } else if ((attribute.name == "contact" || attribute.name == "constraint") && is_off) {
      has_contacts = false;
    } else if (is_off && std::find(kSkipped.begin(), kSkipped.end(), attribute.name) != kSkipped.end()) {
      continue;  // MjcfSource::is_disabled()
    } else if (is_off || attribute.name == "override" || attribute.name == "multiccd") {
      import.source.differ(
          flag.place, fmt::format("flag {}=\"{}\" of <option>", attribute.name, xml::shown(attribute.value)));
    }
  }
  return has_contacts;
}

}  // namespace

bool read_mjcf_options(const MjcfImport& import) {
  Scenario& scenario = import.scenario;
  EngineOptions& engine = scenario.engine;
  XmlValues& values = import.values();
  // MuJoCo's defaults, where ours differ.
  MujocoOptions own;
  own.level_sliding = own.steady_spin = false;
  own.static_parents_collide = true;
  own.cone = FrictionCone::kPyramidal;
  engine.tolerance = 1e-8;
  const MjcfFirmness usual = to_firmness({}, import.source, {}, "");
  engine.contact_time_constant = engine.constraint_time_constant = usual.time_constant;
  engine.contact_damping_ratio = engine.constraint_damping_ratio = *usual.damping_ratio;
  own.contact_impedance =
      own.constraint_impedance = {(*usual.impedance)[0], (*usual.impedance)[1], (*usual.impedance)[2]};
  bool has_contacts = true;
  double step = 0.002;
  for (const Element& option : import.source.root().children) {
    if (option.name != "option") continue;
    step = values.number(option, "timestep", step);
    scenario.gravity = values.vector(option, "gravity", scenario.gravity);
    own.friction_impedance_ratio = values.number(option, "impratio", own.friction_impedance_ratio);
    engine.iterations = std::clamp<std::int64_t>(
        std::llround(values.number(option, "iterations", static_cast<double>(engine.iterations))), 1, 10'000);
    engine.tolerance = std::clamp(values.number(option, "tolerance", engine.tolerance), 0.0, 1.0);
    read_choices(import, option, engine, own);
    for (const char* name : {"density", "viscosity", "noslip_iterations"}) {
      if (values.number(option, name, 0.0) > 0.0)
        import.source.differ(option.place, std::string(name) + " of <option>");
    }
    if (!values.vector(option, "wind", Vec3::Zero()).isZero())
      import.source.differ(option.place, "wind of <option>");
    for (const Element& flag : option.children) has_contacts = read_flags(import, flag) && has_contacts;
  }
  engine.own = write_own(own);
  if (!(step >= 1e-9 && step <= 1.0)) {
    import.diagnostics.error(import.source.root().place,
                             "<option>: timestep {} s is out of range; expected 1 ns to 1 s", step);
    return has_contacts;
  }
  scenario.step = Duration(std::llround(step * 1e9));
  const std::int64_t count = std::max<std::int64_t>(1, 10'000'000'000 / scenario.step.count());
  scenario.duration = scenario.step * count;
  return has_contacts;
}

}  // namespace lockstep
