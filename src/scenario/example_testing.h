#pragma once

#include <string_view>

namespace lockstep {

/// Uses every element and every attribute, each with a value other than its default.
inline constexpr std::string_view kFullExample = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- before the root -->
<scenario name="everything" step="500 us" duration="1 min" seed="18446744073709551615" gravity="0 0 -1.62 m/s^2">
  <description>Every element, every attribute: "quotes", &lt;angles&gt; &amp; Grüße.</description>
  <engine name="ode" integrator="rk4" iterations="50" tolerance="1e-8" contact_time_constant="2 ms"
          contact_damping_ratio="0.9" constraint_time_constant="1 ms" constraint_damping_ratio="1.1">
    <ode cfm="1e-5" erp="0.2 0.8"><island threads="2"/></ode>
  </engine>
  <medium air_density="1.2 kg/m^3" air_viscosity="1.8e-5" wind="1 2 0 m/s" water_level="-10 cm"
          water_density="1025" water_viscosity="0.0011" current="0.1 0 0"/>
  <material name="steel" density="7.85 g/cm^3" friction="0.4" torsional_friction="1 mm" rolling_friction="0.1 mm"
            restitution="0.5" stiffness="1e6 N/m" color="#11223344"/>
  <material name="rubber" color="0.1 0.25 0.7"/>
  <material_pair a="steel" b="rubber" friction="1.1" torsional_friction="0.002" rolling_friction="0.001"
           restitution="0.2" stiffness="1e5" collide="false"><ode cfm="1e-6"/></material_pair>
  <ground name="floor" material="rubber" height="-1 m"/>
  <terrain name="hills" src="hills.png" size="10 20 3" position="0 0 -2" material="steel"/>
  <object name="crate" position="1 2 3" rpy="10 20 30 deg" velocity="0.1 0 0" angular_velocity="0 0 90 deg/s">
    <box name="lid" size="10 20 30 cm" position="0 0 5 mm" orientation="0 1 0 0" material="steel" mass="500 g"
         color="#ff0000" collide="false" visible="false" drag="0.5"/>
    <mesh src="crate.stl" scale="0.001 0.001 -0.001" density="900"/>
    <sphere radius="5 cm"/>
    <inertial mass="2 kg" center="0 0 1 cm" diagonal="0.1 0.2 0.3" products="0.01 0.02 -0.03"/>
    <site name="hook" position="0 0 0.2" rpy="90 0 0 deg"/>
  </object>
  <object name="wall" static="true"><box size="1 1 1"/></object>
  <robot name="arm" position="0 1 0" orientation="0.5 0.5 0.5 0.5" self_collide="false">
    <link name="base"><joint name="root" type="free" velocity="1 2 3 m/s" angular_velocity="10 20 30 deg/s"/><cylinder radius="0.2" length="0.1"/></link>
    <!-- an arm and a slide -->
    <link name="upper" parent="base" position="0 0 0.1">
      <joint name="shoulder" type="hinge" position="0 0 -0.1" axis="0 1 0" lower="-90 deg" upper="90 deg"
             damping="0.1 N*m*s/rad" friction="0.2 N*m" armature="0.01 kg*m^2" stiffness="3 N*m/rad" rest="5 deg"
             initial="10 deg" initial_velocity="20 deg/s"><ode stop_erp="0.3"/></joint>
      <capsule radius="5 cm" length="30 cm"/>
      <site name="tip" position="0 0 0.3"/>
    </link>
    <link name="cart" parent="upper">
      <joint name="rail" type="slide" axis="1 0 0" lower="-10 cm" upper="10 cm" damping="2 N*s/m" friction="1 N"
             armature="100 g" stiffness="50 N/m" rest="1 mm" initial="2 mm" initial_velocity="3 mm/s"/>
      <box size="0.1 0.1 0.1"/>
      <site name="end"/>
    </link>
    <link name="eye" parent="cart"><joint name="neck" type="ball" damping="0.2" detachable="true"/><sphere/></link>
    <link name="hand" parent="cart"><joint name="lock" type="fixed" detachable="true"/><sphere/></link>
    <loop name="closure" type="weld" a="tip" b="end" tolerance="0.5 mm"><ode erp="0.4"/></loop>
    <spring name="coil" a="tip" b="end" length="10 cm" stiffness="100" damping="1"/>
    <rope name="cable" a="tip" b="end" length="20 cm" stiffness="2e5" damping="5"/>
    <sensors><joint_state name="angle" joint="shoulder" period="2 ms"/><camera name="eye"><lens f="3 mm"/></camera></sensors>
    <actuators><torque name="motor" joint="shoulder" limit="10 N*m"/></actuators>
    <controllers><script name="brain" src="brain.lua">return 1 &lt; 2</script></controllers>
    <subsystems><heat name="heat"/></subsystems>
    <observers><csv name="log" file="log.csv"/></observers>
  </robot>
  <loop name="dock" type="hinge" a="arm/tip" b="crate/hook"/>
  <spring name="tie" a="arm/tip" b="crate/hook" stiffness="5"/>
  <rope name="tow" a="arm/tip" b="crate/hook"/>
  <event at="2 s" action="set" target="arm/motor/torque" value="3" priority="2"/>
  <event at="3 s" action="detach" target="arm/lock"/>
  <event at="4 s" action="attach" target="arm/lock"/>
  <event at="5 s" action="push" target="crate" force="1 2 3 N" torque="0.1 0 0 N*m" length="50 ms"/>
  <event at="6.000000001 s" action="stop"/>
  <sensors><pose name="crate" body="crate"/></sensors>
  <actuators/>
  <study name="all" evaluations="7" duration="2 s" seed="3" islands="2" combine="worst">
    <parameter name="damping" path="//joint/@damping" min="0.1 N*m*s/rad" max="1" step="0.1" scale="log" component="1"/>
    <parameter name="iterations" path="/scenario/engine/@iterations" min="1" max="9" integer="true"/>
    <objective name="far" maximize='final(crate/x)' recorded="1.5"/>
    <objective minimize='energy()'/>
    <constraint value='max(crate/z)' min="-1 cm" max="2 m"/>
    <limits penetration="2 mm" energy="5 kJ"/>
    <repetition name="other"><set path="/scenario/@seed" value="2"/></repetition>
    <nsga2 population="16" exchange="3" crossover_rate="0.9" mutation_rate="0.2"/>
  </study>
  <study name="genetic">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <genetic population="30" exchange="2" selection="tournament" survivors="0.5" crossover="cut" crossover_rate="0.8" mutation="gaussian"
             mutation_rate="0.2" mutation_width="0.05"/>
  </study>
  <study name="annealing">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <annealing first="5" begin="2" end="0.1" moves="4" range="0.5"/>
  </study>
  <study name="swarm">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <swarm population="10" exchange="1" inertia="0.6" own_pull="2" swarm_pull="1.5" max_velocity="0.4"/>
  </study>
  <study name="differential">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <differential population="12" exchange="4" weight="0.7" crossover_rate="0.8"/>
  </study>
  <study name="cmaes">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <cmaes population="14" sigma="0.2"/>
  </study>
  <study name="grid">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <grid points="3"/>
  </study>
  <study name="random">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <random/>
  </study>
  <study name="latin">
    <parameter name="damping" path="//joint/@damping" min="0" max="1"/>
    <objective maximize='final(crate/x)'/>
    <latin/>
  </study>
  <file path="hills.png">AAEC
    AwQF</file>
</scenario>
<!-- after the root -->
)";

}  // namespace lockstep
