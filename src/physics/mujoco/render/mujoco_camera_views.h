#pragma once

#include <memory>

#include "physics/camera_view.h"

namespace lockstep {

/// Draws what cameras see with MuJoCo's renderer on OSMesa, in software: images do not depend on the graphics card, and
/// a machine needs neither one nor a display. Every pixel shows the color of the shape at its centre, lit evenly,
/// without shadows, reflections and haze.
std::shared_ptr<const CameraViews> make_mujoco_camera_views();

}  // namespace lockstep
