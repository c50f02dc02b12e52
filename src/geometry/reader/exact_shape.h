#pragma once

#include <TopoDS_Shape.hxx>
#include <optional>
#include <string_view>
#include <vector>

#include "geometry/assembly.h"

/// Conversion of OpenCASCADE shapes. Shapes are in millimetres, results in metres.
namespace lockstep {

inline constexpr double kMillimetre = 1e-3;  ///< m

/// Volume, centre and inertia of all solids in a shape, at density 1. Empty if there is none.
std::optional<MassProperties> calc_solid_mass(const TopoDS_Shape& shape);

/// Cylinders, holes, circles, planes and straight edges; the largest of each kind first.
std::vector<Feature> find_features(const TopoDS_Shape& shape);

/// A mesh within `deviation` (m) of the shape. Each solid is closed.
Mesh triangulate(const TopoDS_Shape& shape, double deviation);

/// The length of the diagonal of the bounding box, m; 0 if it is empty.
double calc_size(const TopoDS_Shape& shape);

/// All of the above. Warnings about `label` go into `notes`. Empty if there is no surface.
std::optional<PartShape> make_part_shape(const TopoDS_Shape& shape, std::optional<double> deviation,
                                         std::string_view label, ImportNotes& notes);

}  // namespace lockstep
