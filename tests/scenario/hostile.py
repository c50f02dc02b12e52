"""Models that pass `lockstep check` but are hard or impossible to simulate, with the expected status of `lockstep run`."""

import dataclasses


@dataclasses.dataclass
class Case:
    name: str
    text: str
    length: str  # for --for
    status: str  # regular expression of what follows "status: "


OK = "ok"
ANY = ".+"  # the outcome depends on the engine, but there must be a status


def diverged(body, quantity="acceleration"):
    return rf"diverged at step \d+, '{body}': its {quantity} is NaN or too large; use a smaller step"


def scenario(inside, attributes=""):
    return f"<scenario {attributes}>\n{inside}\n</scenario>\n"


def arm(device="", joint="", shape='<box size="0.1 0.1 0.1"/>', attributes="", outside=""):
    return scenario(
        f'''{outside}<robot name="r">
  <link name="base"><box size="0.1 0.1 0.1"/></link>
  <link name="arm" parent="base" position="0 0 1">
    <joint name="elbow" axis="0 1 0" {joint}/>{shape}<site name="tip" position="1 0 0"/>
  </link>
  <actuators>{device}</actuators>
</robot>''', attributes)


def ball(attributes="", shape='<sphere radius="0.1"/>', outside="<ground/>", scenario_attributes=""):
    return scenario(f'{outside}\n<object name="ball" {attributes}>{shape}</object>', scenario_attributes)


def script(text):
    return scenario(f'<object name="a"><sphere radius="0.1"/></object><controllers><lua name="c"><![CDATA[{text}]]></lua></controllers>')


def stopped(cause):
    return rf"controller failed at step 3, 'c': script:{cause}"


CASES = [
    Case("run_script_without_end", script("function step(t)\n  while t > 0.0025 do end\nend"), "1s",
         stopped("2: took more than 100000 instructions in one call")),
    Case("run_script_that_eats_memory", script("function step(t)\n  local s = 'x'\n  while t > 0.0025 do s = s .. s end\nend"), "1s",
         stopped(r"3: exceeds the memory of a script \(4194304 bytes, 262144 in one block\)")),
    Case("run_script_with_an_error", script("function step(t)\n  if t > 0.0025 then error('so it is') end\nend"), "1s",
         stopped("2: so it is")),
    Case("run_script_that_cannot_be_saved", script("function step(t)\n  if t > 0.0025 then state.f = step end\nend"), "1s",
         r"controller failed at step 3, 'c': script: state.f is a function; expected a number, string, boolean or a table of these"),
    Case("run_servo_of_1e9", arm('<servo name="s" joint="elbow" stiffness="1e9" initial="1"/>'), "1s", diverged("r/arm")),
    Case("run_servo_too_stiff_for_the_step",
         arm('<servo name="s" joint="elbow" stiffness="1e9" damping="0" initial="1"/>', attributes='step="10 ms"'), "1s",
         diverged("r/arm")),
    Case("run_servo_damping_of_1e9", arm('<servo name="s" joint="elbow" damping="1e9" initial="1"/>'), "1s", diverged("r/arm")),
    Case("run_torque_of_1e9", arm('<torque name="t" joint="elbow" initial="1e9"/>'), "1s", diverged("r/arm")),
    Case("run_joint_spring_of_1e9", arm(joint='stiffness="1e9" initial="1"'), "1s", diverged("r/arm")),
    Case("run_joint_speed_of_1e9", arm(joint='initial_velocity="1e9"'), "1s", ANY),
    Case("run_spring_too_stiff",
         scenario('<object name="a"><sphere radius="0.1"/><site name="s"/></object>\n'
                  '<object name="b" position="1 0 0"><sphere radius="0.1"/><site name="s"/></object>\n'
                  '<spring name="k" a="a/s" b="b/s" length="0.5" stiffness="1e12"/>'), "1s", diverged("a")),
    Case("run_spring_of_no_length",
         scenario('<object name="a"><sphere radius="0.1" collide="false"/><site name="s"/></object>\n'
                  '<object name="b"><sphere radius="0.1" collide="false"/><site name="s"/></object>\n'
                  '<spring name="k" a="a/s" b="b/s" length="1" stiffness="100"/>'), "1s", ANY),
    Case("run_more_contacts_than_capacity",
         ball('position="0 0 0.2"', shape='<box size="0.2 0.2 0.2"/>',
              outside='<engine><mujoco max_contacts="1"/></engine><ground/>'), "1s",
         r"constraint overflow at step \d+: there are more than 1 contacts; set max_contacts in <mujoco> or use fewer shapes"),
    Case("run_mass_of_1e-12", ball(shape='<sphere radius="0.1" mass="1e-12"/>', attributes='position="0 0 0.5"'), "1s",
         ANY),
    Case("run_mass_ratio_of_1e15",
         scenario('<ground/>\n<object name="a" position="0 0 0.1"><sphere radius="0.1" mass="1e-6"/></object>\n'
                  '<object name="b" position="0 0 0.3"><sphere radius="0.1" mass="1e9"/></object>'), "1s", ANY),
    Case("run_speed_of_light", ball('velocity="3e8 0 -3e8" position="0 0 1"'), "1s", OK),
    Case("run_spin_of_1e9", ball('angular_velocity="1e9 1 1" position="0 0 1"', shape='<box size="0.1 0.2 0.3"/>'),
         "1s", diverged("ball")),
    Case("run_at_the_end_of_the_world", ball('position="1e9 1e9 1e9" velocity="1e9 0 0"'), "10s", diverged("ball", "position")),
    Case("run_deep_inside_the_ground", ball('position="0 0 -1000"'), "1s", ANY),
    Case("run_two_in_one_place",
         scenario('<object name="a"><box size="1 1 1"/></object>\n<object name="b"><box size="1 1 1"/></object>'), "1s",
         ANY),
    Case("run_gravity_of_1e4_and_long_step", ball('position="0 0 1"', scenario_attributes='gravity="0 0 -1e4" step="1 s"'),
         "10s", ANY),
    Case("run_push_of_1e9",
         scenario('<object name="o"><box size="1 1 1"/></object>\n'
                  '<event at="1 ms" action="push" target="o" force="1e9 0 0" torque="0 1e9 0"/>'), "1s", ANY),
    Case("run_signal_set_to_1e9",
         arm('<torque name="t" joint="elbow"/>', outside='<event at="1 ms" action="set" target="r/t/torque" value="1e9"/>'),
         "1s", diverged("r/arm")),
    Case("run_wind_through_water",
         ball('position="0 0 1"', outside='<medium air_density="1e6" water_level="0" water_density="1e9" wind="1e3 0 0"/>'),
         "1s", ANY),
    Case("run_sine_of_1e9",
         scenario('<robot name="r"><link name="b"/><link name="a" parent="b"><joint name="j"/><box size="0.1 0.1 0.1"/></link>\n'
                  '<actuators><torque name="t" joint="j"/></actuators><controllers>\n'
                  '<sine name="c" signal="t/torque" amplitude="1e9" frequency="100 Hz"/></controllers></robot>'), "1s",
         diverged("r/a")),
    Case("run_rk4_too_stiff",
         arm('', joint='stiffness="1e9" initial="1"', outside='<engine integrator="rk4"/>'), "1s", diverged("r/arm")),
    Case("run_implicit_too_stiff",
         arm('<servo name="s" joint="elbow" stiffness="1e9" initial="1"/>', outside='<engine integrator="implicit"/>'),
         "1s", diverged("r/arm")),
    Case("run_empty_scenario", "<scenario/>\n", "1s", OK),
]
