#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "cli/design.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "design/motion_checks.h"
#include "design/parts.h"
#include "design/static_checks.h"
#include "geometry/image.h"
#include "model/build.h"
#include "physics/mujoco/render/mujoco_renderer.h"
#include "render/camera.h"
#include "scenario/read.h"

namespace lockstep {
namespace {

/// A scenario and its expectations.
struct Subject {
  Scenario scenario;
  std::filesystem::path folder;
  std::vector<Expectation> expectations;
};

std::vector<Expectation> read_expectations(const std::string& file) {
  const Element root = Document::read_file(file).root();
  if (root.name != "expectations")
    throw_user_error(root.place, "the root is <{}>; expected <expectations>", root.name);
  Diagnostics diagnostics;
  ExpectationFile read = read_fields<ExpectationFile>(root, diagnostics);
  diagnostics.throw_if_errors();
  return std::move(read.expectations);
}

Subject read_subject(const DesignCheckCommand& command, Diagnostics& diagnostics) {
  const Document document = Document::read_file(command.script.file);
  Subject subject;
  subject.folder = document.root_folder();
  if (document.root().name == "design") {
    const CarriedOut done = carry_out(command.script, document);
    check_parts(done.design, diagnostics);
    ModelResult result = make_result(done.design, "files", files_beside(done.folder));
    for (const std::string& line : result.assumed) diagnostics.note({}, "{}", line);
    for (const std::string& line : done.notes.suspicious) diagnostics.warn({}, "{}", line);
    embed_files(result);
    subject.scenario = std::move(result.scenario);
    subject.expectations = done.script.expectations;
  } else {
    subject.scenario = read_scenario(document);
  }
  if (command.expectations) {
    const auto more = read_expectations(*command.expectations);
    subject.expectations.insert(subject.expectations.end(), more.begin(), more.end());
  }
  return subject;
}

/// Draws the visual and collision shapes of a body side by side, with joints, frames and centres of mass.
class LinkPainter {
 public:
  LinkPainter(const World& world, std::string folder)
      : world_(world), folder_(std::move(folder)), bounds_(world.model()) {
    Result<std::unique_ptr<Renderer>> made = make_mujoco_renderer(world, kSize, kSize);
    if (!made) throw_user_error({"--images"}, "{}", made.error());
    renderer_ = *std::move(made);
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw_user_error({folder_}, "cannot create the folder: {}", error.message());
  }

  /// The number of images.
  int paint_all() {
    const Model& model = world_.model();
    int count = 0;
    for (std::size_t i = 1; i < model.bodies.size(); ++i) {
      const bool is_link = model.bodies[i].name.find('/') != std::string::npos;
      const bool has_shape = std::any_of(model.shapes.begin(), model.shapes.end(),
                                         [&](const ShapeModel& shape) { return index(shape.body) == i; });
      if (!is_link || !has_shape) continue;
      std::string name = model.bodies[i].name;
      std::replace(name.begin(), name.end(), '/', '-');
      write_file(std::filesystem::path(folder_) / (name + ".png"),
                 encode_png(paint(BodyId{static_cast<int>(i)})));
      ++count;
    }
    return count;
  }

 private:
  static constexpr int kSize = 640;  // pixels

  Image paint(BodyId body) {
    const OrbitCamera camera = framed({}, bounds_.calc(world_, body), 1.0);
    Image left, right;
    constexpr float kSeenThrough = 0.5f;
    SceneOptions options{
        .joint_axes = true, .frames = true, .centers_of_mass = true, .only = body, .opacity = kSeenThrough};
    renderer_->draw(world_, camera, options, left);
    options.shapes = ShownShapes::kCollision;
    renderer_->draw(world_, camera, options, right);
    Image both{.width = left.width + right.width, .height = left.height, .rgb = {}};
    for (int y = 0; y < both.height; ++y) {
      both.rgb.insert(both.rgb.end(), left.pixel(0, y), left.pixel(0, y) + 3 * left.width);
      both.rgb.insert(both.rgb.end(), right.pixel(0, y), right.pixel(0, y) + 3 * right.width);
    }
    return both;
  }

  const World& world_;
  std::string folder_;
  ShapeBounds bounds_;
  std::unique_ptr<Renderer> renderer_;
};

std::unique_ptr<World> make_world(const Scenario& scenario, const Assets& assets, const Registry& registry,
                                  Diagnostics& diagnostics) {
  const auto model = build_model(scenario, assets, diagnostics);
  const Engine* engine = find_engine(scenario, registry.lists().engines, diagnostics);
  diagnostics.throw_if_errors();
  check_engine(*engine, *model, diagnostics);
  diagnostics.throw_if_errors();
  return engine->make_world(model);
}

void check_robots(const Subject& subject, const World& world, Diagnostics& diagnostics) {
  if (subject.expectations.empty()) {
    diagnostics.note(
        {}, "forward kinematics: not checked; add <expect> elements with the expected positions of points");
    return;
  }
  if (subject.scenario.robots.size() != 1) {
    diagnostics.error({}, "expectations need a scenario with one robot; this one has {}",
                      subject.scenario.robots.size());
    return;
  }
  const Robot& robot = subject.scenario.robots.front();
  check_expectations(subject.expectations, world.model(), robot.name, robot.pose, diagnostics);
}

int report(const Diagnostics& diagnostics, bool json) {
  const auto count = [&](Severity severity) {
    return std::count_if(diagnostics.list().begin(), diagnostics.list().end(),
                         [&](const Diagnostic& diagnostic) { return diagnostic.severity == severity; });
  };
  if (json) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const Diagnostic& diagnostic : diagnostics.list()) findings.push_back(to_string(diagnostic));
    fmt::print("{}\n", nlohmann::ordered_json{{"errors", count(Severity::kError)},
                                              {"warnings", count(Severity::kWarning)},
                                              {"findings", findings}}
                           .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}{} errors, {} warnings\n", diagnostics.text(), count(Severity::kError),
               count(Severity::kWarning));
  }
  return diagnostics.has_errors() ? kExitOutcome : kExitDone;
}

}  // namespace

int design_check(const DesignCheckCommand& command, const Registry& registry) {
  Diagnostics diagnostics;
  const Subject subject = read_subject(command, diagnostics);
  const Assets assets(subject.scenario, subject.folder);
  // Here an open loop is one finding among others, not an error.
  Diagnostics building;
  const std::unique_ptr<World> world =
      make_world(with_open_loops(subject.scenario), assets, registry, building);
  check_model(world->model(), diagnostics);
  check_loops(world->model(), diagnostics);
  check_robots(subject, *world, diagnostics);
  if (command.images) {
    const int count = LinkPainter(*world, *command.images).paint_all();
    diagnostics.note({*command.images}, "{} images", count);
  }
  if (!diagnostics.has_errors()) {
    Diagnostics assembling;
    (void)assemble(subject.scenario, assets, registry, assembling);
    for (const Diagnostic& diagnostic : assembling.list()) diagnostics.add(diagnostic);
    check_sweeps(*world, diagnostics);
    check_energy(*make_world(in_free_motion(subject.scenario), assets, registry, building), diagnostics);
  }
  return report(diagnostics, command.json);
}

}  // namespace lockstep
