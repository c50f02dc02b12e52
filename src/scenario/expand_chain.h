#pragma once

#include "lockstep/error.h"
#include "lockstep/fields.h"

namespace lockstep {

/// Replaces every <chain> in a <robot> below the root by its links, joints and devices. Each of them has
/// the place in the file of the element it was made from.
///
/// Counted from the head, module k becomes the links module<k>a and module<k>b with the hinge joint<k> between
/// them, and a <servo> and a <joint_state> sensor of that name. Sensor module k becomes the link sensor<k> with
/// the links pad<k>_<face> and the sites eye<k>_<face>, each with its sensor. Lock i, between segment i and the
/// next one, is the fixed joint lock<i>. The joint of the head is base.
///
/// The chain extends along -x. A positive angle rotates the front right-handed relative to the rear, about
/// y (pitch: the nose goes down) or z (yaw: to the left).
///
/// A <gait> among the controllers of such a robot that names neither pitch nor yaw joints gets those of its
/// chains.
void expand_chains(Element& root, Diagnostics& diagnostics);

bool has_chain(const Element& robot);

}  // namespace lockstep
