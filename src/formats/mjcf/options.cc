#include <algorithm>
#include <cmath>

#include "formats/mjcf/importer_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

void MjcfImporter::read_options() {
  EngineOptions& engine = scenario_.engine;
  // What MuJoCo does by itself, where this program has other habits.
  MujocoOptions own;
  own.level_sliding = false;
  own.cone = FrictionCone::kPyramidal;
  engine.tolerance = 1e-8;
  const MjcfFirmness usual = to_firmness({}, source_, "");
  engine.contact_time_constant = engine.constraint_time_constant = usual.time_constant;
  engine.contact_damping_ratio = engine.constraint_damping_ratio = *usual.damping_ratio;
  own.contact_impedance =
      own.constraint_impedance = {(*usual.impedance)[0], (*usual.impedance)[1], (*usual.impedance)[2]};
  double step = 0.002;
  for (const Element& option : source_.root().children) {
    if (option.name != "option") continue;
    step = values_.number(option, "timestep", step);
    scenario_.gravity = values_.vector(option, "gravity", scenario_.gravity);
    own.friction_impedance_ratio = values_.number(option, "impratio", own.friction_impedance_ratio);
    engine.iterations = std::clamp<std::int64_t>(
        std::llround(values_.number(option, "iterations", static_cast<double>(engine.iterations))), 1, 10'000);
    engine.tolerance = std::clamp(values_.number(option, "tolerance", engine.tolerance), 0.0, 1.0);
    read_choices(option, engine, own);
    for (const char* name : {"density", "viscosity", "noslip_iterations"}) {
      if (values_.number(option, name, 0.0) > 0.0) source_.lose(std::string(name) + " of <option>");
    }
    if (!values_.vector(option, "wind", Vec3::Zero()).isZero()) source_.lose("wind of <option>");
    for (const Element& flag : option.children) read_flags(flag);
  }
  engine.own = write_own(own);
  if (!(step >= 1e-9 && step <= 1.0)) {
    diagnostics_.error(source_.root().place, "<option>: timestep {} s is out of range; expected 1 ns to 1 s",
                       step);
    return;
  }
  scenario_.step = Duration(std::llround(step * 1e9));
  const std::int64_t count = std::max<std::int64_t>(1, 10'000'000'000 / scenario_.step.count());
  scenario_.duration = scenario_.step * count;
}

void MjcfImporter::read_choices(const Element& option, EngineOptions& engine, MujocoOptions& own) {
  const std::string integrator = XmlValues::text(option, "integrator"),
                    solver = XmlValues::text(option, "solver"), cone = XmlValues::text(option, "cone");
  if (integrator == "RK4") engine.integrator = Integrator::kRk4;
  if (integrator == "implicit" || integrator == "implicitfast") engine.integrator = Integrator::kImplicit;
  if (integrator == "implicitfast") source_.lose("integrator 'implicitfast': 'implicit' is taken");
  if (solver == "CG") own.solver = Solver::kCg;
  if (solver == "PGS") own.solver = Solver::kPgs;
  if (cone == "elliptic") own.cone = FrictionCone::kElliptic;
  if (XmlValues::text(option, "collision") == "predefined") source_.lose("collision 'predefined' of <option>");
}

void MjcfImporter::read_flags(const Element& flag) {
  for (const Attribute& attribute : flag.attributes) {
    const bool is_off = attribute.value == "disable";
    if (attribute.name == "gravity" && is_off) {
      scenario_.gravity.setZero();
    } else if (attribute.name == "contact" && is_off) {
      has_contacts_ = false;
    } else if (is_off || attribute.name == "override" || attribute.name == "multiccd") {
      source_.lose(fmt::format("flag {}=\"{}\" of <option>", attribute.name, xml::shown(attribute.value)));
    }
  }
}

}  // namespace lockstep
