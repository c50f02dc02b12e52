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

/// A design script: how a robot is made out of a file of parts, so that it can be made again when that file
/// changes.
namespace lockstep {

struct DesignScript {
  Place place;
  std::string src;             ///< the file of parts, relative to the script
  std::optional<double> unit;  ///< metres per unit of that file
  std::string robot = "robot";
  Pose pose;          ///< X_WA
  Scenario scenario;  ///< what the result has beside the robot
  std::vector<Operation> operations;
  std::vector<Expectation> expectations;
};

template <class V>
void describe(V& v, DesignScript& s) {
  v.text(
      "src", s.src,
      {.doc =
           "File of parts: STEP, OBJ, STL, DAE, glTF; relative to the script. `--source` on the command line "
           "names another one."});
  v.number("unit", s.unit,
           {.unit = "m",
            .min = 0.0,
            .max = 1e6,
            .above_min = true,
            .doc = "Length of 1 in that file. Default: what the file says, and 1 m where it cannot say."});
  v.name("robot", s.robot, {.doc = "Name of the robot."});
  v.pose(s.pose, {.doc = "Where the origin of the assembly is in the world."});
  // Its own reference is long enough.
  if constexpr (!V::kIsSchema) v.child("scenario", s.scenario, {});
  v.children(kOperationKinds, s.operations);
  v.children("expect", s.expectations,
             {.doc = "Where points must be for given joint positions; `lockstep design check` looks."});
}

/// Throws UserError with everything that is wrong.
DesignScript read_script(const Document& document);

/// The design that all operations together make of an assembly. Throws UserError at the first operation that
/// cannot be carried out.
Design run_script(const DesignScript& script, Assembly assembly, const OperationContext& context);

/// What a script may contain, for the reference.
ElementSchema script_schema();

}  // namespace lockstep
