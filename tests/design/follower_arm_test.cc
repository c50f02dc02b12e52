#include <gtest/gtest.h>

#include <BRepGProp.hxx>
#include <GProp_GProps.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <algorithm>
#include <gp_Mat.hxx>

#include "base/files.h"
#include "base/material_testing.h"
#include "design/parts.h"
#include "design/result.h"
#include "design/script.h"
#include "geometry/assembly_reader.h"
#include "geometry/mass.h"

/// The follower arm made by the script in scenarios/parts: every part has the mass computed by OpenCASCADE.
namespace lockstep {
namespace {

std::optional<std::filesystem::path> find_follower() {
  const auto material = find_material();
  return material ? std::optional(*material / "step/low_cost_robot_follower_arm.step") : std::nullopt;
}

/// Volume, centre and inertia of every solid part, measured by OpenCASCADE in its place in the assembly;
/// metres.
class Measured {
 public:
  explicit Measured(const std::filesystem::path& file) {
    XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", document_);
    STEPCAFControl_Reader reader;
    EXPECT_EQ(reader.ReadFile(file.c_str()), IFSelect_RetDone);
    EXPECT_TRUE(reader.Transfer(document_));
    tool_ = XCAFDoc_DocumentTool::ShapeTool(document_->Main());
    TDF_LabelSequence roots;
    tool_->GetFreeShapes(roots);
    for (int i = 1; i <= roots.Length(); ++i) walk(roots.Value(i), {});
  }

  std::vector<MassProperties> parts;

 private:
  void walk(const TDF_Label& label, const TopLoc_Location& above) {
    TDF_Label shape = label;
    TopLoc_Location here = above;
    if (tool_->IsReference(label)) {
      tool_->GetReferredShape(label, shape);
      here = above * tool_->GetLocation(label);
    }
    if (tool_->IsAssembly(shape)) {
      TDF_LabelSequence components;
      tool_->GetComponents(shape, components);
      for (int i = 1; i <= components.Length(); ++i) walk(components.Value(i), here);
      return;
    }
    measure(tool_->GetShape(shape).Moved(here));
  }

  void measure(const TopoDS_Shape& shape) {
    GProp_GProps total;
    bool has_solid = false;
    for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next()) {
      GProp_GProps one;
      BRepGProp::VolumeProperties(solid.Current(), one, 1e-6);
      total.Add(one);
      has_solid = true;
    }
    if (!has_solid) return;
    constexpr double kMillimetre = 1e-3;
    const gp_Pnt c = total.CentreOfMass();
    const gp_Mat I = total.MatrixOfInertia();
    MassProperties mass;
    mass.mass = total.Mass() * std::pow(kMillimetre, 3);
    mass.center = kMillimetre * Vec3(c.X(), c.Y(), c.Z());
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column)
        mass.inertia(row, column) = I.Value(row + 1, column + 1) * std::pow(kMillimetre, 5);
    }
    parts.push_back(mass);
  }

  Handle(TDocStd_Document) document_;
  Handle(XCAFDoc_ShapeTool) tool_;
};

/// The measured part at the same place; null if there is none of this volume.
const MassProperties* find_same(const std::vector<MassProperties>& parts, const MassProperties& wanted) {
  for (const MassProperties& part : parts) {
    const bool is_same_volume = std::abs(part.mass - wanted.mass) <= 1e-4 * wanted.mass;
    if (is_same_volume && (part.center - wanted.center).norm() < 1e-6) return &part;
  }
  return nullptr;
}

Design make_follower(const Assembly& assembly) {
  const std::filesystem::path script =
      std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "scenarios/parts/follower-arm.xml";
  return run_script(read_script(Document::read_file(script)), assembly, {.read_file = {}});
}

TEST(FollowerArm, EveryPartHasTheMassComputedByOpenCascade) {
  const auto follower = find_follower();
  if (!follower) GTEST_SKIP() << "third-party test files are not available";
  const Measured measured(*follower);
  const Assembly assembly = read_assembly(*follower);
  std::size_t count = 0;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    if (part.shape < 0 || !assembly.shapes[static_cast<std::size_t>(part.shape)].exact) continue;
    const MassProperties ours = transformed(*assembly.shapes[static_cast<std::size_t>(part.shape)].exact,
                                            calc_pose(assembly, static_cast<int>(i)));
    const MassProperties* theirs = find_same(measured.parts, ours);
    ASSERT_NE(theirs, nullptr) << part.name;
    // Both integrate adaptively, in their own frame and by their own rule.
    EXPECT_NEAR(ours.mass, theirs->mass, 1e-5 * theirs->mass) << part.name;
    EXPECT_LT((ours.center - theirs->center).norm(), 1e-7) << part.name;
    EXPECT_LT((ours.inertia - theirs->inertia).norm(), 2e-4 * theirs->inertia.norm()) << part.name;
    ++count;
  }
  EXPECT_EQ(count, measured.parts.size());
}

TEST(FollowerArm, HasFiveHingesAndAllItsMass) {
  const auto follower = find_follower();
  if (!follower) GTEST_SKIP() << "third-party test files are not available";
  const Measured measured(*follower);
  const Design design = make_follower(read_assembly(*follower));
  EXPECT_TRUE(find_unused_parts(design).empty());
  const ModelResult result =
      make_result(design, "files", [](const std::string&, const Place&) { return std::string(); });
  double ours = 0.0, theirs = 0.0;
  int hinges = 0;
  for (const Link& link : result.scenario.robots.at(0).links) {
    if (link.inertial) ours += link.inertial->mass;
    if (link.joint && link.joint->type == JointType::kHinge) ++hinges;
  }
  for (const MassProperties& part : measured.parts) theirs += 1240.0 * part.mass;
  EXPECT_EQ(hinges, 5);
  EXPECT_NEAR(ours, theirs, 1e-5 * theirs);
}

}  // namespace
}  // namespace lockstep
