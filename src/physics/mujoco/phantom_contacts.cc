#include "physics/mujoco/phantom_contacts.h"

#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// Tolerance for rounding, m.
constexpr double kSlack = 1e-6;

bool is_box(const mjModel& m, int geom) {
  return m.geom_type[geom] == mjGEOM_BOX;
}

/// Half the length of the projection of a box on a line.
double calc_half_width(const mjModel& m, const mjData& d, int geom, const Vec3& direction) {
  return (mat3(d.geom_xmat + 9 * geom).transpose() * direction).cwiseAbs().dot(vec3(m.geom_size + 3 * geom));
}

bool is_phantom(const mjModel& m, const mjData& d, const mjContact& contact) {
  if (!is_box(m, contact.geom1) || !is_box(m, contact.geom2)) return false;
  const Vec3 normal = vec3(contact.frame);
  const double distance =
      normal.dot(vec3(d.geom_xpos + 3 * contact.geom2) - vec3(d.geom_xpos + 3 * contact.geom1));
  const double overlap =
      calc_half_width(m, d, contact.geom1, normal) + calc_half_width(m, d, contact.geom2, normal) - distance;
  return -contact.dist > overlap + kSlack;
}

}  // namespace

bool has_box_pairs(const mjModel& m) {
  int boxes = 0;
  for (int geom = 0; geom < m.ngeom; ++geom) boxes += is_box(m, geom) ? 1 : 0;
  return boxes > 1;
}

void drop_phantom_contacts(const mjModel& m, mjData& d) {
  int kept = 0;
  for (int i = 0; i < d.ncon; ++i) {
    if (is_phantom(m, d, d.contact[i])) continue;
    if (kept != i) d.contact[kept] = d.contact[i];
    ++kept;
  }
  d.ncon = kept;
}

}  // namespace lockstep
