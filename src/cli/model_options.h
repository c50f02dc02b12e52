#pragma once

#include <CLI/CLI.hpp>

#include "cli/model.h"

namespace lockstep {

/// The options of `lockstep model`, and what they were set to.
class ModelOptions {
 public:
  explicit ModelOptions(CLI::App& app);

  bool parsed() const { return app_->parsed(); }
  int run(const Registry& registry) const;

 private:
  CLI::App* add(const char* name, const char* doc) { return app_->add_subcommand(name, doc); }
  bool is(const char* name) const { return app_->got_subcommand(name); }

  CLI::App* app_;
  ModelRunCommand run_;
  ModelPartsCommand parts_;
  ModelFeaturesCommand features_;
  ModelCheckCommand check_;
  ModelNewCommand new_;
  ModelApplyCommand apply_;
  ModelUndoCommand undo_;
};

}  // namespace lockstep
