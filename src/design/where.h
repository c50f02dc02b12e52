#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/parts.h"
#include "lockstep/error.h"
#include "scenario/fields.h"

namespace lockstep {

enum class WhereFrom { kHole, kCylinder, kCircle, kPlane, kEdge, kBox, kPoints };
enum class BoxAxis { kMax, kMin, kX, kY, kZ };

/// A point and a direction derived from the shape of parts: <at>, <along>.
struct Where {
  Place place;
  WhereFrom from = WhereFrom::kHole;
  std::string part;
  std::optional<double> radius;
  std::optional<Vec3> near;
  std::int64_t number = 1;
  Vec3 fraction = Vec3::Constant(0.5);
  BoxAxis axis = BoxAxis::kMax;
  std::vector<double> points;
  double offset = 0.0;
  bool flip = false;
};

inline constexpr std::array<std::pair<std::string_view, WhereFrom>, 7> kWhereFrom = {{
    {"hole", WhereFrom::kHole},
    {"cylinder", WhereFrom::kCylinder},
    {"circle", WhereFrom::kCircle},
    {"plane", WhereFrom::kPlane},
    {"edge", WhereFrom::kEdge},
    {"box", WhereFrom::kBox},
    {"points", WhereFrom::kPoints},
}};
inline constexpr std::array<std::pair<std::string_view, BoxAxis>, 5> kBoxAxes = {{
    {"longest", BoxAxis::kMax},
    {"shortest", BoxAxis::kMin},
    {"x", BoxAxis::kX},
    {"y", BoxAxis::kY},
    {"z", BoxAxis::kZ},
}};

template <class V>
void describe(V& v, Where& w) {
  const bool is_known = v.choice(
      "from", w.from, kWhereFrom,
      {.doc = "hole, cylinder: middle and direction of the axis. circle: centre and normal. plane: "
              "middle and normal of a flat face. edge: middle and direction of a straight edge. box: "
              "from the bounding box of the parts. points: centre and normal of the circle through three "
              "points.",
       .required = true});
  const bool takes_all = V::kIsSchema || !is_known;
  const std::string holder = fmt::format("from=\"{}\"", kWhereFrom[static_cast<std::size_t>(w.from)].first);
  const bool is_box = w.from == WhereFrom::kBox, is_points = w.from == WhereFrom::kPoints;
  const bool is_feature = !is_box && !is_points;
  const bool is_round = is_feature && w.from != WhereFrom::kPlane && w.from != WhereFrom::kEdge;
  if (takes_all || !is_points) {
    v.text("part", w.part, {.doc = "Parts, as patterns.", .required = !takes_all});
  } else {
    v.no_meaning("part", holder);
  }
  if (takes_all || is_round) {
    v.number("radius", w.radius,
             {.unit = "m", .min = 0.0, .above_min = true, .doc = "Only round features of this radius."});
  } else {
    v.no_meaning("radius", holder);
  }
  if (takes_all || is_feature) {
    v.vector("near", w.near,
             {.unit = "m", .doc = "The feature nearest to this point. Default: the largest one."});
    v.integer("number", w.number,
              {.min = 1.0, .max = 1e6, .doc = "2 for the second nearest or second largest, and so on."});
  } else {
    v.no_meaning("near", holder);
    v.no_meaning("number", holder);
  }
  if (takes_all || is_box) {
    v.vector("fraction", w.fraction,
             {.min = 0.0, .max = 1.0, .doc = "Where in the box: 0 is the lower side, 0.5 the middle."});
    v.choice("axis", w.axis, kBoxAxes, {.doc = "Direction along the box."});
  } else {
    v.no_meaning("fraction", holder);
    v.no_meaning("axis", holder);
  }
  if (takes_all || is_points) {
    v.numbers("points", w.points, {is_points && !takes_all ? std::size_t{9} : std::size_t{0}, 9},
              {.unit = "m", .doc = "Three points on a circle, in the assembly.", .required = !takes_all});
  } else {
    v.no_meaning("points", holder);
  }
  v.number("offset", w.offset, {.unit = "m", .doc = "Moves the point along the direction."});
  v.flag("flip", w.flip, {.doc = "Reverses the direction, before the offset."});
}

/// A point and a unit direction, in the assembly.
struct Line {
  Vec3 point = Vec3::Zero();
  Vec3 direction = Vec3::UnitZ();
};

/// Throws UserError at the place of `where` if nothing matches.
Line find_line(const Assembly& assembly, const Where& where);

/// A feature of a part, in the assembly.
struct PlacedFeature {
  int part = 0;
  Feature feature;
};

/// The features of parts in the assembly, largest first within each kind.
std::vector<PlacedFeature> list_features(const Assembly& assembly, std::span<const int> parts);

}  // namespace lockstep
