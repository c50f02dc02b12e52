// Third-party test files, if available.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/material_testing.h"
#include "geometry/assembly_reader.h"
#include "geometry/fit.h"
#include "geometry/mass.h"
#include "geometry/mesh_distance.h"
#include "geometry/mesh_topology.h"
#include "geometry/shape_distance.h"
#include "geometry/shape_format.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shape_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && find_shape_format("", entry.path().string())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(MaterialSlow, ReadsAllShapeFiles) {
  const auto folder = find_material();
  if (!folder) GTEST_SKIP() << "third-party test files are not available";
  for (const fs::path& file : shape_files(*folder)) {
    SCOPED_TRACE(file);
    try {
      EXPECT_FALSE(read_assembly(file).shapes.empty());
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(Material, FollowerArmHasItsPartsAndTheirSolids) {
  const auto folder = find_material();
  if (!folder) GTEST_SKIP() << "third-party test files are not available";
  const Assembly arm = read_assembly(*folder / "step/low_cost_robot_follower_arm.step");
  const auto leaves =
      std::count_if(arm.parts.begin(), arm.parts.end(), [](const Part& p) { return p.shape >= 0; });
  EXPECT_EQ(leaves, 161);
  EXPECT_LE(arm.shapes.size(), 40u) << "repeated parts share one shape";
  for (const Part& part : arm.parts) {
    EXPECT_TRUE(part.shape < 0 || part.density == 7850.0)
        << part.name << ": every product of the file is steel";
  }
  for (const PartShape& shape : arm.shapes) {
    EXPECT_EQ(shape.exact.has_value(), shape.is_closed);
    if (shape.exact) {
      EXPECT_NEAR(unit_mass(shape.mesh).mass / shape.exact->mass, 1.0, 0.05);
    }
  }
}

/// A uniformly random point of the surface.
class SurfaceSampler {
 public:
  SurfaceSampler(const Mesh& mesh, Random& random) : mesh_(mesh), random_(random) {
    for (const auto& face : mesh.faces) {
      const Vec3& a = mesh.vertices[face[0]];
      area_ += (mesh.vertices[face[1]] - a).cross(mesh.vertices[face[2]] - a).norm();
      areas_.push_back(area_);
    }
  }
  Vec3 operator()() {
    const auto at = std::lower_bound(areas_.begin(), areas_.end(), area_ * random_.uniform());
    const auto& face = mesh_.faces[std::min<std::size_t>(static_cast<std::size_t>(at - areas_.begin()),
                                                         mesh_.faces.size() - 1)];
    double u = random_.uniform(), v = random_.uniform();
    if (u + v > 1.0) {
      u = 1.0 - u;
      v = 1.0 - v;
    }
    const Vec3& a = mesh_.vertices[face[0]];
    return a + u * (mesh_.vertices[face[1]] - a) + v * (mesh_.vertices[face[2]] - a);
  }

 private:
  const Mesh& mesh_;
  Random& random_;
  double area_ = 0.0;
  std::vector<double> areas_;
};

/// By brute force, without the shortcuts of fit_error.cc.
double distance_to(const Mesh& mesh, const Vec3& p) {
  double nearest = 1e300;
  for (const auto& face : mesh.faces) {
    const std::array<Vec3, 3> triangle = {mesh.vertices[face[0]], mesh.vertices[face[1]],
                                          mesh.vertices[face[2]]};
    nearest = std::min(nearest, (nearest_point(triangle, p) - p).norm());
  }
  return nearest;
}

/// Checks that samples of both surfaces are within the stated error of the other.
void expect_within_stated_error(const Mesh& mesh, const Fit& fit, Random& random) {
  constexpr int kSamples = 60;
  const double size = calc_size(mesh), deviation = 5e-4 * size;
  const std::vector<ShapeDistance> distances(fit.shapes.begin(), fit.shapes.end());
  std::vector<Mesh> surfaces;
  for (const FittedShape& shape : fit.shapes) surfaces.push_back(surface_of(shape, deviation));

  SurfaceSampler on_mesh(mesh, random);
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 p = on_mesh();
    double nearest = 1e300, least = 1e300;
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
      nearest = std::min(nearest, distance_to(surfaces[s], p));
      least = std::min(least, distances[s](p));
    }
    ASSERT_LE(nearest, fit.error.largest + deviation);
    ASSERT_LE(least, fit.error.outside + 1e-9 * size);
  }
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    SurfaceSampler on_shape(surfaces[s], random);
    for (int i = 0; i < kSamples; ++i) {
      const Vec3 p = on_shape();
      const auto hides = [&](std::size_t other) { return other != s && distances[other](p) < 3e-3 * size; };
      bool is_hidden = false;
      for (std::size_t other = 0; other < surfaces.size(); ++other) is_hidden = is_hidden || hides(other);
      if (is_hidden) continue;
      ASSERT_LE(distance_to(mesh, p), fit.error.largest + deviation);
    }
  }
}

/// Every fourth file, so that the tests can run in parallel.
class FitsSlow : public testing::TestWithParam<std::size_t> {};
constexpr std::size_t kShares = 4;

TEST_P(FitsSlow, AreWithinTheirStatedError) {
#ifdef __SANITIZE_ADDRESS__
  if (GetParam() > 0) GTEST_SKIP() << "a sanitizer needs minutes for a quarter of the files";
#endif
  const auto folder = find_material();
  if (!folder) GTEST_SKIP() << "third-party test files are not available";
  Random random(7, "samples");
  const std::vector<fs::path> files = shape_files(*folder);
  for (std::size_t number = GetParam(); number < files.size(); number += kShares) {
    const fs::path& file = files[number];
    const Assembly assembly = read_assembly(file);
    for (std::size_t i = 0; i < assembly.shapes.size(); ++i) {
      SCOPED_TRACE(file.filename().string() + " shape " + std::to_string(i));
      const Mesh& mesh = assembly.shapes[i].mesh;
      FitOptions options;
      options.max_shapes = 2;
      const Fit fit = choose_shapes(mesh, options);
      std::printf("%-40s %zu: %s\n", file.filename().c_str(), i, fit.text.c_str());
      expect_within_stated_error(mesh, fit, random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Material, FitsSlow, testing::Range(std::size_t{0}, kShares));

}  // namespace
}  // namespace lockstep
