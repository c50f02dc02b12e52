#pragma once

#include "lockstep/error.h"
#include "scenario/chain.h"
#include "scenario/document.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Turns a document into plain structs. Everything wrong goes into `diagnostics`; the scenario returned is
/// complete only if there are no errors.
Scenario read_scenario(const Element& root, Diagnostics& diagnostics);

/// Reports children of engines (EngineOptions::own, Firmness::own) that are not for the engine in use. Reading
/// does it already; this is for scenarios made in another way.
void check_engine_children(const Scenario& scenario, Diagnostics& diagnostics);

/// What a <chain> says, likewise.
Chain read_chain(const Element& element, Diagnostics& diagnostics);

/// Throws UserError if anything is wrong.
Scenario read_scenario(const Document& document);

}  // namespace lockstep
