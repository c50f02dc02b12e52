#include "assemble/engines.h"

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "base/temporary_folder_testing.h"
#include "physics/mujoco/mujoco_engine.h"

namespace lockstep {
namespace {

struct TinyOptions {
  std::int64_t max_bodies = 1;
};
template <class V>
void describe(V& v, TinyOptions& o) {
  v.integer("max_bodies", o.max_bodies, {.min = 1, .doc = "Maximum number of bodies."});
}

/// An engine added by a user's program: MuJoCo inside, but only for a few bodies.
class TinyEngine final : public Engine {
 public:
  std::string_view name() const override { return "tiny"; }
  EngineCapabilities capabilities() const override { return {.integrators = {Integrator::kEuler}}; }
  std::vector<EngineChild> children() const override {
    return {make_engine_child<TinyOptions>(EngineHost::kEngine, "tiny", "Options of tiny.")};
  }
  void check(const Model& model, Diagnostics& diagnostics) const override {
    TinyOptions options;
    for (const Element& own : model.engine.own) options = read_fields<TinyOptions>(own, diagnostics);
    if (static_cast<std::int64_t>(model.bodies.size()) - 1 > options.max_bodies)
      diagnostics.error(model.engine.place, "engine: tiny takes at most {} bodies", options.max_bodies);
  }
  std::unique_ptr<World> make_world(std::shared_ptr<const Model> model) const override {
    return MujocoEngine().make_world(std::move(model));
  }
};

constexpr std::string_view kBalls = R"(<object name="a"><sphere/></object><object name="b"><sphere/></object>)";

class EnginesTest : public testing::Test {
 protected:
  EnginesTest() { registry_.lists().engines.add(std::make_shared<TinyEngine>()); }

  LoadedScenario load(std::string_view inside, const std::vector<std::string>& edits = {}) {
    folder_.write("a.xml", fmt::format("<scenario>\n{}</scenario>", inside));
    return load_scenario(folder_.path() / "a.xml", registry_, edits);
  }
  /// The errors of a scenario, without the folder.
  std::string errors_of(std::string_view inside) {
    try {
      const LoadedScenario loaded = load(inside);
      Diagnostics diagnostics;
      (void)assemble(loaded.scenario, loaded.assets, registry_, diagnostics);
    } catch (const UserError& error) {
      const std::string text = error.what();
      return text.substr(text.find("a.xml"));
    }
    return "";
  }

  Registry registry_ = default_registry();
  TemporaryFolder folder_;
};

TEST_F(EnginesTest, AUserDefinedEngineIsCheckedFirstAndRuns) {
  EXPECT_EQ(errors_of(fmt::format("<engine name='tiny'/>{}", kBalls)),
            "a.xml:2:1: error: engine: tiny takes at most 1 bodies\n");
  EXPECT_EQ(errors_of(fmt::format("<engine name='tiny'><tiny max_bodies='2'/></engine>{}", kBalls)), "");
  EXPECT_EQ(errors_of("<engine name='tiny' integrator='rk4'/>"),
            "a.xml:2:1: error: engine: tiny has no integrator 'rk4'; it has euler\n");
}

TEST_F(EnginesTest, OptionsOfAnotherEngineAreAnError) {
  EXPECT_EQ(errors_of("<engine><tiny/></engine>"),
            "a.xml:2:9: error: <engine> cannot contain <tiny>; the engine is 'mujoco', which takes <mujoco>\n");
  EXPECT_EQ(errors_of("<engine name='tiny'><mujoco/></engine>"),
            "a.xml:2:21: error: <engine> cannot contain <mujoco>; the engine is 'tiny', which takes <tiny>\n");
}

TEST_F(EnginesTest, ReportsAllErrorsInOneRun) {
  const std::string errors =
      errors_of("<engine><mujoco solver='magic'/></engine>\n<observers><nothing name='a'/></observers>");
  EXPECT_NE(errors.find("a.xml:2:17: error: <mujoco>: unknown solver 'magic'"), std::string::npos) << errors;
  EXPECT_NE(errors.find("a.xml:3:12: error: "), std::string::npos) << errors;
}

TEST_F(EnginesTest, DefaultsOfEngineOptionsAreWrittenOutAndHashed) {
  const LoadedScenario plain = load("<engine integrator='rk4'/>");
  EXPECT_TRUE(plain.scenario.engine.own.empty());
  const std::string packed = packed_text(plain, registry_);
  EXPECT_NE(packed.find("<mujoco solver=\"newton\" cone=\"elliptic\""), std::string::npos) << packed;

  const LoadedScenario same = load("<engine integrator='rk4'><mujoco cone='elliptic'/></engine>");
  EXPECT_EQ(same.hash, plain.hash);
  const LoadedScenario edited =
      load("<engine integrator='rk4'><mujoco/></engine>", {"//mujoco/@cone=pyramidal"});
  EXPECT_NE(edited.hash, plain.hash);
  EXPECT_NE(packed_text(edited, registry_).find("cone=\"pyramidal\""), std::string::npos);
}

TEST_F(EnginesTest, TheSchemaAndTheReferenceListThem) {
  const std::string text = describe_engines(registry_.lists().engines);
  EXPECT_NE(text.find("### mujoco"), std::string::npos);
  EXPECT_NE(text.find("| integrators | euler, implicit, rk4 |"), std::string::npos);
  EXPECT_NE(text.find("### tiny"), std::string::npos);
  EXPECT_NE(text.find("| closed loops | no |"), std::string::npos);
  // <mujoco> of the engine, joints, contacts and constraints, and <tiny>.
  EXPECT_EQ(registry_.lists().engines.schemas().size(), 5u);
}

}  // namespace
}  // namespace lockstep
