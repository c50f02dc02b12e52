#include "lockstep/run.h"

#include <fmt/format.h>

#include <utility>

#include "assemble/assemble.h"
#include "embed/scenario_impl.h"
#include "simulation/snapshot.h"

namespace lockstep {

struct Run::Impl {
  Impl(const Document& document, Diagnostics errors_so_far, const Registry& registry,
       const std::optional<std::filesystem::path>& output_folder)
      : diagnostics(std::move(errors_so_far)),
        loaded(load_scenario(document, registry, diagnostics)),
        simulation(assemble(loaded.scenario, loaded.assets, registry, diagnostics,
                            {.output_folder = output_folder, .connections = {}})) {
    diagnostics.sort();
  }

  /// Between two steps, so it takes effect at once.
  Result<void> act(Action action) {
    Result<void> posted = simulation.post({simulation.now().step, 0, std::move(action)});
    if (posted) simulation.apply_posted();
    return posted;
  }

  Diagnostics diagnostics;
  LoadedScenario loaded;
  Simulation simulation;
};

Run::Run(const ScenarioFile& scenario, const Registry& registry,
         const std::optional<std::filesystem::path>& output_folder)
    : impl_(std::make_unique<Impl>(scenario.impl_->document, scenario.impl_->diagnostics, registry,
                                   output_folder)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

const Diagnostics& Run::warnings() const {
  return impl_->diagnostics;
}

Status Run::advance(std::int64_t steps) {
  return impl_->simulation.run(steps);
}

Status Run::finish() {
  return impl_->simulation.finish();
}

const Instant& Run::now() const {
  return impl_->simulation.now();
}

const Model& Run::model() const {
  return impl_->simulation.model();
}

const World& Run::world() const {
  return impl_->simulation.world();
}

const SignalTable& Run::signals() const {
  return impl_->simulation.signals();
}

ConstRow Run::row() const {
  return impl_->simulation.row();
}

void Run::add_observer(const std::string& name, std::unique_ptr<Observer> observer, std::int64_t every) {
  LOCKSTEP_CHECK(observer != nullptr && every >= 1);
  impl_->simulation.add_observer({name, std::move(observer), every, 0});
}

Result<void> Run::set(Slot slot, double value) {
  return impl_->act(SetSignal{slot, value});
}

Result<void> Run::push(BodyId body, const Wrench& wrench, std::int64_t steps) {
  return impl_->act(Push{body, wrench, steps});
}

Result<void> Run::set_joint_position(JointId joint, double position) {
  return impl_->act(SetJoint{joint, position});
}

Result<void> Run::set_attached(JointId joint, bool attached) {
  return impl_->act(SetAttached{joint, attached});
}

Result<void> Run::set_fault(std::string_view name, bool on) {
  const std::optional<FaultId> fault = impl_->simulation.find_fault(name);
  if (!fault) return Failure{fmt::format("there is no fault '{}'", name)};
  return impl_->act(SetFault{*fault, on});
}

std::uint64_t Run::hash() const {
  return impl_->simulation.hash();
}

std::vector<std::uint8_t> Run::save() const {
  return make_snapshot(impl_->simulation, impl_->loaded.hash);
}

void Run::restore(std::span<const std::uint8_t> snapshot) {
  restore_snapshot(impl_->simulation, snapshot, "snapshot");
}

}  // namespace lockstep
