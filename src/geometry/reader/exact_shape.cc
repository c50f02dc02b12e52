#include "geometry/reader/exact_shape.h"

#include <BRepBndLib.hxx>
#include <BRepBuilderAPI_MakeSolid.hxx>
#include <BRepGProp.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <GProp_GProps.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <TopoDS_Shell.hxx>
#include <TopoDS_Solid.hxx>
#include <algorithm>
#include <cmath>

#include "geometry/mass.h"
#include "geometry/repair.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

Vec3 to_metres(const gp_Pnt& point) {
  return kMillimetre * Vec3(point.X(), point.Y(), point.Z());
}

Bnd_Box bounds_of(const TopoDS_Shape& shape) {
  Bnd_Box bounds;
  BRepBndLib::Add(shape, bounds, Standard_False);
  return bounds;
}

/// The solids of a shape, and solids made of closed shells without one.
struct Bodies {
  std::vector<TopoDS_Shape> solids;
  std::vector<TopoDS_Shape> surfaces;  ///< without volume
  std::size_t made = 0;                ///< solids made of shells
};

Bodies find_bodies(const TopoDS_Shape& shape) {
  Bodies bodies;
  for (TopExp_Explorer at(shape, TopAbs_SOLID); at.More(); at.Next()) {
    // A solid with a face missing has no volume, whatever its integral is.
    bool is_closed = true;
    for (TopExp_Explorer shell(at.Current(), TopAbs_SHELL); shell.More(); shell.Next())
      is_closed = is_closed && BRep_Tool::IsClosed(shell.Current());
    (is_closed ? bodies.solids : bodies.surfaces).push_back(at.Current());
  }
  for (TopExp_Explorer at(shape, TopAbs_SHELL, TopAbs_SOLID); at.More(); at.Next()) {
    if (BRep_Tool::IsClosed(at.Current())) {
      bodies.solids.push_back(BRepBuilderAPI_MakeSolid(TopoDS::Shell(at.Current())).Solid());
      ++bodies.made;
    } else {
      bodies.surfaces.push_back(at.Current());
    }
  }
  for (TopExp_Explorer at(shape, TopAbs_FACE, TopAbs_SHELL); at.More(); at.Next())
    bodies.surfaces.push_back(at.Current());
  return bodies;
}

MassProperties mass_of(const TopoDS_Shape& solid) {
  const Bnd_Box bounds = bounds_of(solid);
  // Far from the origin the integrals would lose precision.
  const gp_Pnt near =
      bounds.IsVoid() ? gp_Pnt() : gp_Pnt(0.5 * (bounds.CornerMin().XYZ() + bounds.CornerMax().XYZ()));
  // Integration with a fixed number of points is exact for planes, cylinders and the like, and wrong by up to a
  // percent for B-splines. The adaptive one is good for all, and has an error of 1e-6 for the former.
  constexpr double kEachFace = 1e-8, kSameVolume = 1e-6;  // relative errors
  GProp_GProps properties(near), adaptive(near);
  BRepGProp::VolumeProperties(solid, properties);
  BRepGProp::VolumeProperties(solid, adaptive, kEachFace);
  if (!(std::abs(adaptive.Mass() - properties.Mass()) <= kSameVolume * std::abs(adaptive.Mass())))
    properties = adaptive;
  MassProperties body;
  // All values are negative if a solid is inside out.
  const double sign = properties.Mass() < 0.0 ? -1.0 : 1.0;
  body.mass = sign * properties.Mass() * std::pow(kMillimetre, 3);
  body.center = to_metres(properties.CentreOfMass());
  const gp_Mat inertia = properties.MatrixOfInertia();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      body.inertia(i, j) = sign * inertia.Value(i + 1, j + 1) * std::pow(kMillimetre, 5);
  }
  return body;
}

std::optional<MassProperties> mass_of(const Bodies& bodies) {
  std::optional<MassProperties> sum;
  for (const TopoDS_Shape& solid : bodies.solids) {
    const MassProperties body = mass_of(solid);
    const bool is_sound =
        body.mass > 0.0 && body.center.array().isFinite().all() && body.inertia.array().isFinite().all();
    if (is_sound) sum = sum ? combined(*sum, body) : body;
  }
  return sum;
}

void append(Mesh& mesh, const Mesh& other) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (auto face : other.faces) {
    for (std::uint32_t& corner : face) corner += first;
    mesh.faces.push_back(face);
  }
}

/// The triangles of all faces of a shape that has been triangulated.
Mesh collect_triangles(const TopoDS_Shape& shape) {
  Mesh mesh;
  for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
    const TopoDS_Face face = TopoDS::Face(at.Current());
    TopLoc_Location location;
    const Handle(Poly_Triangulation) triangles = BRep_Tool::Triangulation(face, location);
    if (triangles.IsNull()) continue;
    const gp_Trsf& placement = location.Transformation();
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (int i = 1; i <= triangles->NbNodes(); ++i)
      mesh.vertices.push_back(to_metres(triangles->Node(i).Transformed(placement)));
    const bool is_turned = (face.Orientation() == TopAbs_REVERSED) != placement.IsNegative();
    for (int i = 1; i <= triangles->NbTriangles(); ++i) {
      int a = 0, b = 0, c = 0;
      triangles->Triangle(i).Get(a, b, c);
      if (is_turned) std::swap(b, c);
      const auto corner = [&](int index) { return first + static_cast<std::uint32_t>(index) - 1; };
      mesh.faces.push_back({corner(a), corner(b), corner(c)});
    }
  }
  return mesh;
}

Mesh triangulate(const Bodies& bodies, double deviation) {
  // Neighbouring faces share the points of their common edge up to rounding.
  constexpr double kSamePlace = 1e-7;  // of the size
  constexpr double kAngle = 0.3;       // rad between neighbouring triangles of a round face
  Mesh mesh;
  for (const auto* shapes : {&bodies.solids, &bodies.surfaces}) {
    for (const TopoDS_Shape& shape : *shapes) {
      BRepMesh_IncrementalMesh(shape, deviation / kMillimetre, Standard_False, kAngle, Standard_False);
      Mesh piece = collect_triangles(shape);
      piece = welded(piece, kSamePlace * calc_size(piece));
      if (shapes == &bodies.solids) piece = repair_mesh(piece).mesh;
      append(mesh, piece);
    }
  }
  return mesh;
}

void add_warnings(const Bodies& bodies, const PartShape& shape, std::string_view label, ImportNotes& notes) {
  // Faceting reduces a small round volume by a few percent; more means that faces are missing.
  constexpr double kMaxLost = 0.1;
  if (bodies.made > 0)
    notes.assumed.push_back(fmt::format("'{}': {} closed surfaces are treated as solids", label, bodies.made));
  if (!bodies.surfaces.empty()) {
    notes.suspicious.push_back(fmt::format("'{}': {} of its surfaces enclose no volume and have no mass", label,
                                           bodies.surfaces.size()));
  }
  if (!bodies.solids.empty() && !shape.exact)
    notes.suspicious.push_back(fmt::format("'{}': its solid has no volume", label));
  if (!shape.exact || !shape.is_closed) return;
  const double ratio = unit_mass(shape.mesh).mass / shape.exact->mass;
  if (std::abs(ratio - 1.0) > kMaxLost) {
    notes.suspicious.push_back(
        fmt::format("'{}': its mesh has {:.0f} % of the volume of the solid", label, 100.0 * ratio));
  }
}

}  // namespace

std::optional<MassProperties> calc_solid_mass(const TopoDS_Shape& shape) {
  return mass_of(find_bodies(shape));
}

Mesh triangulate(const TopoDS_Shape& shape, double deviation) {
  return triangulate(find_bodies(shape), deviation);
}

double calc_size(const TopoDS_Shape& shape) {
  const Bnd_Box bounds = bounds_of(shape);
  return bounds.IsVoid() ? 0.0 : kMillimetre * bounds.CornerMin().Distance(bounds.CornerMax());
}

std::optional<PartShape> make_part_shape(const TopoDS_Shape& shape, std::optional<double> deviation,
                                         std::string_view label, ImportNotes& notes) {
  constexpr double kDefaultDeviation = 1.0 / 500.0;  // of the size
  constexpr double kFinest = 1e-6;                   // m
  const Bodies bodies = find_bodies(shape);
  PartShape result;
  result.mesh =
      triangulate(bodies, deviation.value_or(std::max(kFinest, kDefaultDeviation * calc_size(shape))));
  if (result.mesh.faces.empty()) return std::nullopt;
  result.is_closed = find_mesh_defect(result.mesh).empty();
  result.exact = mass_of(bodies);
  result.features = find_features(shape);
  add_warnings(bodies, result, label, notes);
  return result;
}

}  // namespace lockstep
