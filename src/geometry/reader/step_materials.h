#pragma once

#include <Standard_Handle.hxx>
#include <TDF_Label.hxx>
#include <XCAFDoc_DataMapOfShapeLabel.hxx>
#include <map>
#include <optional>
#include <string>

class XSControl_WorkSession;

namespace lockstep {

struct StepMaterial {
  std::string name;               ///< as in the file; may be empty
  std::optional<double> density;  ///< kg/m^3
};

/// The materials that a STEP file gives its products: the properties 'material name' and 'density' of a
/// PRODUCT_DEFINITION, or of the stock that it is made from (MAKE_FROM_USAGE_OPTION).
class StepMaterials {
 public:
  /// Of a file whose shapes have been transferred to these labels.
  StepMaterials(const Handle(XSControl_WorkSession) & session, const XCAFDoc_DataMapOfShapeLabel& labels);

  /// Null if the file has none for this product.
  const StepMaterial* find(const TDF_Label& product) const;

  /// Densities without a unit that is a mass per volume; they are not used.
  std::size_t densities_without_unit() const { return densities_without_unit_; }

 private:
  std::map<std::string, StepMaterial> by_label_;  // by the entry of the label
  std::size_t densities_without_unit_ = 0;
};

}  // namespace lockstep
