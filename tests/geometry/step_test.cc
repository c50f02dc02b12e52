#include <fmt/format.h>
#include <gtest/gtest.h>

#include <TopExp_Explorer.hxx>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <regex>
#include <sstream>

#include "base/temporary_folder_testing.h"
#include "geometry/assembly_reader.h"
#include "geometry/mass.h"
#include "lockstep/error.h"
#include "step_file_testing.h"

namespace lockstep {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const Part& find_part(const Assembly& assembly, std::string_view name) {
  const auto found = std::find_if(assembly.parts.begin(), assembly.parts.end(),
                                  [&](const Part& part) { return part.name == name; });
  if (found != assembly.parts.end()) return *found;
  std::string names;
  for (const Part& part : assembly.parts) names += " " + part.name;
  throw std::runtime_error("no part " + std::string(name) + " among" + names);
}

int index_of(const Assembly& assembly, std::string_view name) {
  return static_cast<int>(&find_part(assembly, name) - assembly.parts.data());
}

const PartShape& shape_of(const Assembly& assembly, std::string_view name) {
  return assembly.shapes.at(static_cast<std::size_t>(find_part(assembly, name).shape));
}

/// A plate with a pin, twice, on a base of another material.
StepFile make_machine() {
  StepFile file;
  const TDF_Label plate = file.add_product(centred_box(100, 40, 10), "plate");
  const TDF_Label pin = file.add_product(BRepPrimAPI_MakeCylinder(5, 30).Shape(), "Stößel");
  file.set_color(plate, 0.2, 0.4, 0.6);
  file.set_material(plate, "aluminium", 2.7);
  const TDF_Label arm = file.add_assembly("arm");
  file.add_instance(arm, plate, "plate:1", placement({50, 0, 0}));
  file.add_instance(arm, pin, "pin:1", placement({90, 0, 5}));
  const TDF_Label machine = file.add_assembly("machine");
  file.add_instance(machine, arm, "left", placement({0, 100, 0}));
  file.add_instance(machine, arm, "right", placement({0, -100, 0}, Vec3::UnitZ(), std::numbers::pi / 2));
  return file;
}

class StepSchemas : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(StepSchemas, HaveTreePosesColoursAndMassInMetres) {
  const auto [schema, unit] = GetParam();
  const TemporaryFolder folder;
  const auto path = folder.path() / "machine.step";
  make_machine().write(path, schema, unit);
  const Assembly assembly = read_assembly(path);

  EXPECT_EQ(assembly.shapes.size(), 2u);
  const Part& plate = find_part(assembly, "machine/right/plate:1");
  EXPECT_EQ(plate.shape, find_part(assembly, "machine/left/plate:1").shape);
  const Pose pose = calc_pose(assembly, index_of(assembly, "machine/right/plate:1"));
  EXPECT_LT((pose.p - Vec3(0, -0.05, 0)).norm(), 1e-12);
  EXPECT_LT((pose * Vec3(0.01, 0, 0) - Vec3(0, -0.04, 0)).norm(), 1e-12);
  ASSERT_TRUE(plate.color.has_value());
  EXPECT_NEAR((*plate.color)[0], 0.2, 1e-3);
  EXPECT_NEAR((*plate.color)[2], 0.6, 1e-3);

  const MassProperties expected = unit_mass(Box{{0.1, 0.04, 0.01}});
  const auto& exact = shape_of(assembly, "machine/right/plate:1").exact;
  ASSERT_TRUE(exact.has_value());
  EXPECT_NEAR(exact->mass, expected.mass, 1e-9 * expected.mass);
  EXPECT_LT((exact->inertia - expected.inertia).cwiseAbs().maxCoeff(), 1e-9 * expected.inertia.maxCoeff());
  EXPECT_TRUE(shape_of(assembly, "machine/left/pin:1").is_closed);
}

INSTANTIATE_TEST_SUITE_P(All, StepSchemas,
                         testing::Values(std::pair("AP203", "MM"), std::pair("AP214IS", "MM"),
                                         std::pair("AP242DIS", "MM"), std::pair("AP214IS", "INCH"),
                                         std::pair("AP242DIS", "M")));

TEST(StepReader, KeepsNonAsciiNames) {
  const TemporaryFolder folder;
  StepFile file;
  file.add_product(centred_box(10, 10, 10), "Stößel 右");
  file.write(folder.path() / "part.step");
  EXPECT_EQ(read_assembly(folder.path() / "part.step").parts.at(0).label, "Stößel 右");
}

TEST(StepReader, ReadsMaterialAndDensity) {
  const TemporaryFolder folder;
  make_machine().write(folder.path() / "machine.step");
  const Assembly assembly = read_assembly(folder.path() / "machine.step");
  const Part& plate = find_part(assembly, "machine/left/plate:1");
  EXPECT_EQ(plate.material, "aluminium");
  ASSERT_TRUE(plate.density.has_value());
  EXPECT_NEAR(*plate.density, 2700.0, 1e-6);
}

/// Adds statements to a STEP file. `#plate` in them is the PRODUCT_DEFINITION of the product 'plate', `#k1` a new entity.
void append_statements(const std::filesystem::path& path, std::string statements) {
  std::string text = read_text(path);
  const auto entity_with = [&](const std::string& content) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("#([0-9]+) = " + content)))
      throw std::runtime_error(content);
    return found[1].str();
  };
  static const std::regex kName("#([a-z]+)\\b");
  std::smatch name;
  while (std::regex_search(statements, name, kName)) {
    const std::string product = entity_with("PRODUCT\\('" + name[1].str() + "'");
    const std::string formation = entity_with("PRODUCT_DEFINITION_FORMATION\\('','',#" + product + "\\)");
    const std::string definition = entity_with("PRODUCT_DEFINITION\\('design','',#" + formation + ",");
    statements.replace(static_cast<std::size_t>(name.position()), static_cast<std::size_t>(name.length()),
                       "#" + definition);
  }
  statements = std::regex_replace(statements, std::regex("#k"), "#90000");
  text.insert(text.rfind("ENDSEC;"), statements);
  std::ofstream(path) << text;
}

/// The units of a density, k4 is the derived unit.
constexpr const char* kKilogramPerCubicMetre = R"(
#k1=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT(.KILO.,.GRAM.));
#k2=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.));
#k3=DERIVED_UNIT_ELEMENT(#k1,1.); #k5=DERIVED_UNIT_ELEMENT(#k2,-3.); #k4=DERIVED_UNIT((#k3,#k5));
)";
constexpr const char* kPoundPerCubicInch = R"(
#k11=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT(.KILO.,.GRAM.));
#k12=DIMENSIONAL_EXPONENTS(0.,1.,0.,0.,0.,0.,0.);
#k13=MASS_MEASURE_WITH_UNIT(MASS_MEASURE(0.45359237),#k11);
#k1=(CONVERSION_BASED_UNIT('POUND',#k13)MASS_UNIT()NAMED_UNIT(#k12));
#k14=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.CENTI.,.METRE.));
#k15=DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);
#k16=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(2.54),#k14);
#k2=(CONVERSION_BASED_UNIT('INCH',#k16)LENGTH_UNIT()NAMED_UNIT(#k15));
#k3=DERIVED_UNIT_ELEMENT(#k1,1.); #k5=DERIVED_UNIT_ELEMENT(#k2,-3.); #k4=DERIVED_UNIT((#k3,#k5));
)";

std::string density_of(const char* product, const char* value, const char* unit) {
  return std::string(unit) + "#k6=MEASURE_REPRESENTATION_ITEM('density measure',POSITIVE_RATIO_MEASURE(" +
         value +
         "),#k4);\n#k7=REPRESENTATION('density',(#k6),$);\n#k8=PROPERTY_DEFINITION('material "
         "property','density of "
         "part',#" +
         product + ");\n#k9=PROPERTY_DEFINITION_REPRESENTATION(#k8,#k7);\n";
}

/// The densities of all parts with a shape; 0 if there is none.
std::vector<double> densities_with(const TopoDS_Shape& shape, const std::string& statements) {
  const TemporaryFolder folder;
  StepFile file;
  file.add_product(shape, "plate");
  file.add_product(centred_box(1, 1, 1), "bar");
  file.write(folder.path() / "part.step");
  append_statements(folder.path() / "part.step", statements);
  std::vector<double> densities;
  for (const Part& part : read_assembly(folder.path() / "part.step").parts) {
    if (part.shape >= 0) densities.push_back(part.density.value_or(0.0));
  }
  return densities;
}

TEST(StepReader, ReadsDensityInKilogramsPerCubicMetre) {
  const auto found =
      densities_with(centred_box(10, 10, 10), density_of("plate", "7850.", kKilogramPerCubicMetre));
  EXPECT_EQ(found, (std::vector{7850.0, 0.0}));
}

TEST(StepReader, ReadsDensityInPoundsPerCubicInch) {
  const auto found = densities_with(centred_box(10, 10, 10), density_of("plate", "0.284", kPoundPerCubicInch));
  constexpr double kExpected = 0.284 * 0.45359237 / (0.0254 * 0.0254 * 0.0254);
  EXPECT_NEAR(found.at(0), kExpected, 1e-9 * kExpected);
}

TEST(StepReader, TakesTheDensityOfTheStockThatAPartIsMadeFrom) {
  const auto found = densities_with(
      centred_box(10, 10, 10), density_of("bar", "2700.", kKilogramPerCubicMetre) +
                                   "#k30=DIMENSIONAL_EXPONENTS(0.,0.,0.,0.,0.,0.,0.); #k31=NAMED_UNIT(#k30);\n"
                                   "#k32=MEASURE_WITH_UNIT(COUNT_MEASURE(1.),#k31);\n"
                                   "#k33=MAKE_FROM_USAGE_OPTION('','make from','',#plate,#bar,1,'',#k32);\n");
  EXPECT_EQ(found, (std::vector{2700.0, 2700.0}));
}

TEST(StepReader, GivesTheDensityOfAProductToItsSolids) {
  const TemporaryFolder folder;
  StepFile file;
  const TDF_Label plate = file.add_assembly("plate");
  file.add_instance(plate, file.add_product(centred_box(10, 10, 10), "SOLID"), "SOLID", placement({0, 0, 0}));
  file.write(folder.path() / "part.step");
  append_statements(folder.path() / "part.step", density_of("plate", "7850.", kKilogramPerCubicMetre));
  const Assembly assembly = read_assembly(folder.path() / "part.step");
  EXPECT_EQ(find_part(assembly, "plate/SOLID").density, 7850.0);
}

TEST(StepReader, ReportsADensityWithoutAUnitOfDensity) {
  const TemporaryFolder folder;
  StepFile file;
  file.add_product(centred_box(10, 10, 10), "plate");
  file.write(folder.path() / "part.step");
  append_statements(folder.path() / "part.step",
                    density_of("plate", "7.", "#k4=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.));\n"));
  const Assembly assembly = read_assembly(folder.path() / "part.step");
  EXPECT_FALSE(assembly.parts.at(0).density.has_value());
  EXPECT_EQ(assembly.notes.lost, std::vector<std::string>{"1 density without a unit of mass per volume"});
}

TEST(StepReader, CombinesSeveralSolidsOfOnePart) {
  const TemporaryFolder folder;
  StepFile file;
  file.add_product(compound({centred_box(10, 10, 10), moved_solid(centred_box(10, 10, 10), {30, 0, 0})}),
                   "pair");
  file.write(folder.path() / "pair.step");
  const Assembly assembly = read_assembly(folder.path() / "pair.step");
  MassProperties sum;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    if (part.shape < 0) continue;
    const auto& exact = assembly.shapes.at(static_cast<std::size_t>(part.shape)).exact;
    ASSERT_TRUE(exact.has_value());
    sum = combined(sum, transformed(*exact, calc_pose(assembly, static_cast<int>(i))));
  }
  EXPECT_NEAR(sum.mass, 2e-6, 1e-15);
  EXPECT_LT((sum.center - Vec3(0.015, 0, 0)).norm(), 1e-12);
}

TEST(StepReader, ReportsSurfacesWithoutVolume) {
  const TemporaryFolder folder;
  StepFile file;
  file.add_product(TopExp_Explorer(centred_box(10, 10, 10), TopAbs_FACE).Current(), "foil");
  file.write(folder.path() / "foil.step");
  const Assembly assembly = read_assembly(folder.path() / "foil.step");
  EXPECT_FALSE(assembly.shapes.at(0).exact.has_value());
  EXPECT_FALSE(assembly.shapes.at(0).is_closed);
  ASSERT_EQ(assembly.notes.suspicious.size(), 1u);
  EXPECT_NE(assembly.notes.suspicious[0].find("enclose no volume"), std::string::npos);
}

TEST(StepReader, FindsTheAxisOfAHoleThePinAndTheFaces) {
  const TemporaryFolder folder;
  StepFile file;
  const TopoDS_Shape drilled =
      BRepAlgoAPI_Cut(centred_box(100, 60, 10),
                      moved_solid(BRepPrimAPI_MakeCylinder(12, 10).Shape(), {25, 10, -5}))
          .Shape();
  file.add_product(drilled, "plate");
  file.add_product(BRepPrimAPI_MakeCylinder(5, 30).Shape(), "pin");
  file.write(folder.path() / "parts.step");
  const Assembly assembly = read_assembly(folder.path() / "parts.step");
  const auto of_kind = [&](std::string_view part, FeatureKind kind) {
    std::vector<Feature> found;
    for (const Feature& feature : shape_of(assembly, part).features) {
      if (feature.kind == kind) found.push_back(feature);
    }
    return found;
  };
  const auto holes = of_kind("plate", FeatureKind::kHole);
  ASSERT_EQ(holes.size(), 1u);
  EXPECT_LT((holes[0].point - Vec3(0.025, 0.01, 0)).norm(), 1e-9);
  EXPECT_LT((holes[0].direction - Vec3::UnitZ()).norm(), 1e-9);
  EXPECT_NEAR(holes[0].radius, 0.012, 1e-9);
  EXPECT_NEAR(holes[0].size, 0.01, 1e-9);
  EXPECT_TRUE(of_kind("plate", FeatureKind::kCylinder).empty());
  EXPECT_EQ(of_kind("plate", FeatureKind::kCircle).size(), 2u);
  EXPECT_EQ(of_kind("plate", FeatureKind::kEdge).size(), 12u);

  const auto planes = of_kind("plate", FeatureKind::kPlane);
  ASSERT_EQ(planes.size(), 6u);
  EXPECT_NEAR(planes[0].size, 0.1 * 0.06 - std::numbers::pi * 0.012 * 0.012, 1e-9);
  for (const Feature& plane : planes) EXPECT_GT(plane.direction.dot(plane.point), 0.0) << "points inwards";

  const auto pins = of_kind("pin", FeatureKind::kCylinder);
  ASSERT_EQ(pins.size(), 1u);
  EXPECT_LT((pins[0].point - Vec3(0, 0, 0.015)).norm(), 1e-9);
  EXPECT_TRUE(of_kind("pin", FeatureKind::kHole).empty());
}

/// An assembly of two plates, whose shape is in the file that is returned.
std::filesystem::path write_two_files(const std::filesystem::path& folder) {
  StepFile file;
  const TDF_Label plate = file.add_product(centred_box(100, 40, 10), "plate");
  const TDF_Label arm = file.add_assembly("arm");
  file.add_instance(arm, plate, "left", placement({0, 100, 0}));
  file.add_instance(arm, plate, "right", placement({0, -100, 0}));
  file.write_separately(folder / "arm.step");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() != "arm.step") return entry.path();
  }
  throw std::runtime_error("there is no second file");
}

void replace_all(const std::filesystem::path& path, const std::string& old, const std::string& text) {
  std::string content = read_text(path);
  for (std::size_t at = content.find(old); at != content.npos; at = content.find(old, at + text.size()))
    content.replace(at, old.size(), text);
  std::ofstream(path) << content;
}

std::string lost_lines(const Assembly& assembly) {
  std::string lines;
  for (const std::string& line : assembly.notes.lost) lines += line + "\n";
  return lines;
}

TEST(StepReader, FollowsReferencesToOtherFiles) {
  const TemporaryFolder folder;
  write_two_files(folder.path());
  const Assembly assembly = read_assembly(folder.path() / "arm.step");
  EXPECT_EQ(lost_lines(assembly), "");
  ASSERT_EQ(assembly.shapes.size(), 1u) << "both instances share it";
  EXPECT_NEAR(assembly.shapes[0].exact.value().mass, 4e-5, 1e-12);
  std::vector<double> heights;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (assembly.parts[i].shape >= 0) heights.push_back(calc_pose(assembly, static_cast<int>(i)).p.y());
  }
  ASSERT_EQ(heights.size(), 2u);
  EXPECT_NEAR(heights[0], 0.1, 1e-12);
  EXPECT_NEAR(heights[1], -0.1, 1e-12);
}

TEST(StepReader, ReportsReferencesThatLeaveTheFolder) {
  const std::map<std::string, std::string> reasons = {{"../outside.stp", "'../outside.stp' leaves the folder"},
                                                      {"/etc/passwd", "'/etc/passwd' is an absolute path"},
                                                      {"missing.stp", "'missing.stp' does not exist"}};
  for (const auto& [name, reason] : reasons) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const auto part = write_two_files(folder.path());
    StepFile other;
    other.add_product(centred_box(1, 1, 1), "other");
    other.write(folder.path() / "other.step");
    const auto inner = folder.path() / "inner";
    std::filesystem::create_directory(inner);
    std::filesystem::rename(part, folder.path() / "outside.stp");
    std::filesystem::rename(folder.path() / "arm.step", inner / "arm.step");
    replace_all(inner / "arm.step", part.filename().string(), name);
    try {
      const Assembly assembly = read_assembly(inner / "arm.step");
      ADD_FAILURE() << "it has shapes: " << assembly.shapes.size() << lost_lines(assembly);
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

TEST(StepReader, EndsAtFilesThatContainEachOther) {
  const TemporaryFolder folder;
  const auto part = write_two_files(folder.path());
  // Two assemblies that contain each other, and one that contains itself.
  const auto name = part.filename().string();
  std::filesystem::copy_file(folder.path() / "arm.step", folder.path() / "b.stp");
  std::filesystem::copy_file(folder.path() / "arm.step", folder.path() / "self.step");
  replace_all(folder.path() / "arm.step", name, "b.stp");
  replace_all(folder.path() / "b.stp", name, "arm.step");
  replace_all(folder.path() / "self.step", name, "self.step");
  for (const char* file : {"arm.step", "self.step"})
    EXPECT_THROW(read_assembly(folder.path() / file), UserError) << file;
}

TEST(StepReader, EndsAtFilesThatMultiply) {
  const TemporaryFolder folder;
  const auto part = write_two_files(folder.path());
  const auto name = part.filename().string();
  // Each file contains the next one twice: more than a million parts.
  constexpr int kFiles = 30;
  for (int i = 0; i < kFiles; ++i) {
    const auto path = folder.path() / fmt::format("f{}.stp", i);
    std::filesystem::copy_file(folder.path() / "arm.step", path);
    if (i + 1 < kFiles) replace_all(path, name, fmt::format("f{}.stp", i + 1));
  }
  EXPECT_THROW(read_assembly(folder.path() / "f0.stp"), UserError);
}

}  // namespace
}  // namespace lockstep
