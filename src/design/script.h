#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "design/apply.h"
#include "design/describe_operation.h"
#include "design/expectation.h"
#include "scenario/document.h"
#include "scenario/schema.h"

/// A design script: the steps that make a robot out of a CAD file, so that they can be repeated when that file
/// changes.
namespace lockstep {

struct DesignScript {
  Place place;
  std::string src;             ///< the CAD file, relative to the script
  std::optional<double> unit;  ///< metres per unit of that file
  std::string robot = "robot";
  Pose pose;          ///< X_WA
  Scenario scenario;  ///< the scenario around the robot
  std::vector<Operation> operations;
  std::vector<Expectation> expectations;
};

template <class V>
void describe(V& v, DesignScript& s) {
  v.text("src", s.src,
         {.doc = "CAD file: STEP, OBJ, STL, DAE, glTF; relative to the script. `--source` on the command line "
                 "overrides it."});
  v.number("unit", s.unit,
           {.unit = "m",
            .min = 0.0,
            .max = 1e6,
            .above_min = true,
            .doc = "Length of 1 in that file. Default: the unit of the file, or 1 m if it has none."});
  v.name("robot", s.robot, {.doc = "Name of the robot."});
  v.pose(s.pose, {.doc = "Where the origin of the assembly is in the world."});
  // It has its own reference.
  if constexpr (!V::kIsSchema) v.child("scenario", s.scenario, {});
  v.children(kOperationKinds, s.operations);
  v.children("expect", s.expectations,
             {.doc = "Expected positions of points for given joint positions, for `lockstep design check`."});
}

/// Throws UserError with all errors.
DesignScript read_script(const Document& document);

/// The design after all operations on an assembly. Throws UserError at the first operation that fails.
Design run_script(const DesignScript& script, Assembly assembly, const OperationContext& context);

/// What a script may contain, for the reference.
ElementSchema script_schema();

}  // namespace lockstep
