#pragma once

#include <string>

#include "assemble/simulation_testing.h"

/// Small mechanisms with known motion and forces, with sensors on them.
namespace lockstep {

inline constexpr double kGravity = 9.81;       // m/s^2
inline constexpr double kSettledForce = 1e-3;  // N

/// An arm of 0.02 kg m^2 that rotates about z, with a site 0.5 m along x whose y axis points up.
inline std::string make_arm(double speed, double torque) {
  return fmt::format(R"(<robot name="r"><link name="base"/>
    <link name="arm" parent="base"><joint name="j" initial_velocity="{}"/>
      <inertial mass="1" diagonal="0.02 0.02 0.02"/>
      <site name="tip" position="0.5 0 0" rpy="90 0 0 deg"/></link>
    <sensors><accelerometer name="a" site="tip"/><gyro name="g" site="tip"/><joint_state name="j" joint="j"/>
      <velocity name="world" site="tip"/><velocity name="own" site="tip" axes="own"/></sensors>
    <actuators><torque name="m" joint="j" initial="{}"/></actuators></robot>)",
                     speed, torque);
}

/// A 2 kg rubber block on a scale with a 1 kg plate, and a steel ball beside it.
inline constexpr const char* kScale = R"(
  <material name="rubber"/><material name="steel"/><ground material="steel"/>
  <robot name="scale"><link name="foot"/>
    <link name="plate" parent="foot" position="0 0 0.1"><joint name="cell" type="fixed"/>
      <box name="top" size="0.5 0.5 0.02" mass="1"/></link>
    <sensors><force name="cell" joint="cell"/><touch name="any" body="plate"/>
      <touch name="top" shape="plate/top" threshold="15 N"/><touch name="heavy" body="plate" threshold="20 N"/>
      <contact name="ball" a="plate" b="ball"/></sensors></robot>
  <object name="block" position="0 0 0.21"><box size="0.2 0.2 0.2" mass="2" material="rubber"/></object>
  <object name="ball" position="1 0 0.1"><sphere radius="0.1" mass="0.5" material="steel"/></object>
  <sensors>
    <contact_force name="block" body="block"/>
    <contact_force name="plate" body="scale/plate"/>
    <contact name="pair" a="block" b="scale"/>
    <contact name="ground" a="ball" b="ground"/>
    <contact name="steel" material_a="steel" material_b="steel" threshold="1 N"/>
    <contact name="rubber" material_a="rubber"/>
  </sensors>)";

}  // namespace lockstep
