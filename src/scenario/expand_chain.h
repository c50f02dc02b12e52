#pragma once

#include "lockstep/error.h"
#include "lockstep/fields.h"

namespace lockstep {

/// Replaces every <chain> in a <robot> below the root by the links, joints and devices it stands for. Each of
/// them has the place of what it was made from.
///
/// From the head on, module k becomes the links module<k>a and module<k>b with the hinge joint<k> between them,
/// a <servo> and a <joint> sensor of that name; sensor module k the link sensor<k> with the links pad<k>_<face>
/// and the sites eye<k>_<face>, each with its sensor. Lock i, between part i and the next one, is the fixed
/// joint lock<i>. The joint of the head is base.
///
/// The chain lies along -x. A positive angle turns what is in front right-handed against what is behind, about
/// y (pitch: the nose goes down) or z (yaw: to the left).
///
/// A <gait> among the controllers of such a robot that names neither pitch nor yaw joints gets those of its
/// chains.
void expand_chains(Element& root, Diagnostics& diagnostics);

bool has_chain(const Element& robot);

}  // namespace lockstep
