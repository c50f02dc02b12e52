#include "physics/engine.h"

#include <gtest/gtest.h>

#include "physics/model_builder_testing.h"

/// Errors that follow from the capabilities of an engine, and its own options.
namespace lockstep {
namespace {

struct PlainOptions {
  double softness = 0.5;
};
template <class V>
void describe(V& v, PlainOptions& o) {
  v.number("softness", o.softness, {.unit = "m", .min = 0.0, .max = 1.0, .doc = "How soft."});
}

/// An engine with hardly any capability.
class PlainEngine final : public Engine {
 public:
  std::string_view name() const override { return "plain"; }
  EngineCapabilities capabilities() const override { return {.integrators = {Integrator::kEuler}}; }
  std::vector<EngineChild> children() const override {
    return {make_engine_child<PlainOptions>(EngineHost::kEngine, "plain", "Options of plain.")};
  }
  void check(const Model&, Diagnostics&) const override {}
  std::unique_ptr<World> make_world(std::shared_ptr<const Model>) const override { return nullptr; }
};

std::string errors_of(const SmallModel& model) {
  Diagnostics diagnostics;
  check_capabilities(PlainEngine(), model.model, diagnostics);
  return diagnostics.text();
}

TEST(Engine, AcceptsAModelWithinItsCapabilities) {
  SmallModel model;
  model.add_ground();
  model.add_ball("ball", Vec3::UnitZ(), 0.1, 1.0);
  EXPECT_EQ(errors_of(model), "");
}

TEST(Engine, ReportsThePlaceOfWhatItCannotSimulate) {
  SmallModel model;
  model.model.engine.place = {"a.xml", 2, 3};
  model.model.engine.integrator = Integrator::kRk4;
  const BodyId body = model.add_body("door", kWorldBody, {}, 1.0, Vec3::Ones());
  JointModel& joint = model.add_joint(body, JointType::kHinge);
  joint.detachable = true;
  joint.place = {"a.xml", 7, 5};
  EXPECT_EQ(errors_of(model),
            "a.xml:2:3: error: engine: plain has no integrator 'rk4'; it has euler\n"
            "a.xml:7:5: error: joint 'door/joint': engine 'plain' cannot simulate detachable joints\n");
}

TEST(Engine, AShapeThatDoesNotCollideNeedsNoCapability) {
  SmallModel model;
  model.add_shape(kWorldBody, HeightmapGeometry{});
  EXPECT_EQ(errors_of(model), "error: shape 'world/shape': engine 'plain' cannot simulate height fields\n");
  model.model.shapes.back().collide = false;
  EXPECT_EQ(errors_of(model), "");
}

TEST(Engine, WritesOutTheDefaultsOfItsOptions) {
  const EngineChild child = PlainEngine().children()[0];
  const Element all = child.write_out({.name = "plain"});
  ASSERT_EQ(all.attributes.size(), 1u);
  EXPECT_EQ(all.attributes[0].value, "0.5");
  const Element given = child.write_out({.name = "plain", .attributes = {{"softness", "20 cm", {}}}});
  EXPECT_EQ(given.attributes[0].value, "0.2");
}

}  // namespace
}  // namespace lockstep
