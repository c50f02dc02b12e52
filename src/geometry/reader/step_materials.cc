#include "geometry/reader/step_materials.h"

#include <Interface_InterfaceModel.hxx>
#include <STEPConstruct_UnitContext.hxx>
#include <StepBasic_ConversionBasedUnit.hxx>
#include <StepBasic_DerivedUnit.hxx>
#include <StepBasic_DerivedUnitElement.hxx>
#include <StepBasic_MeasureWithUnit.hxx>
#include <StepBasic_ProductDefinition.hxx>
#include <StepBasic_ProductDefinitionOrReference.hxx>
#include <StepBasic_SiUnit.hxx>
#include <StepBasic_Unit.hxx>
#include <StepRepr_DescriptiveRepresentationItem.hxx>
#include <StepRepr_MakeFromUsageOption.hxx>
#include <StepRepr_MeasureRepresentationItem.hxx>
#include <StepRepr_ProductDefinitionShape.hxx>
#include <StepRepr_PropertyDefinition.hxx>
#include <StepRepr_PropertyDefinitionRepresentation.hxx>
#include <StepRepr_Representation.hxx>
#include <StepRepr_RepresentedDefinition.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TDF_Tool.hxx>
#include <TransferBRep.hxx>
#include <Transfer_Binder.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>
#include <cmath>
#include <string_view>

namespace lockstep {
namespace {

/// A unit as a factor to SI and its dimension. Other dimensions than these do not occur in a density.
struct StepUnit {
  double factor = 1.0;
  double mass = 0.0, length = 0.0;  ///< exponents
};

constexpr int kMaxUnitDepth = 8;  // of units defined by units

std::optional<StepUnit> unit_of(const Handle(StepBasic_NamedUnit) & unit, int depth);

std::optional<StepUnit> unit_of(const StepBasic_Unit& unit, int depth) {
  if (unit.IsNull()) return std::nullopt;
  const Handle(StepBasic_DerivedUnit) derived = unit.DerivedUnit();
  if (derived.IsNull()) return unit_of(unit.NamedUnit(), depth);
  StepUnit product;
  for (int i = 1; i <= derived->NbElements(); ++i) {
    const Handle(StepBasic_DerivedUnitElement) element = derived->ElementsValue(i);
    if (element.IsNull()) return std::nullopt;
    const auto factor = unit_of(element->Unit(), depth);
    if (!factor) return std::nullopt;
    product.factor *= std::pow(factor->factor, element->Exponent());
    product.mass += factor->mass * element->Exponent();
    product.length += factor->length * element->Exponent();
  }
  return product;
}

std::optional<StepUnit> unit_of(const Handle(StepBasic_NamedUnit) & unit, int depth) {
  if (unit.IsNull() || depth > kMaxUnitDepth) return std::nullopt;
  if (const auto si = Handle(StepBasic_SiUnit)::DownCast(unit); !si.IsNull()) {
    constexpr double kGram = 1e-3;  // kg
    const double prefix = si->HasPrefix() ? STEPConstruct_UnitContext::ConvertSiPrefix(si->Prefix()) : 1.0;
    if (si->Name() == StepBasic_sunGram) return StepUnit{.factor = prefix * kGram, .mass = 1.0, .length = 0.0};
    if (si->Name() == StepBasic_sunMetre) return StepUnit{.factor = prefix, .mass = 0.0, .length = 1.0};
    return std::nullopt;
  }
  // Pounds and inches are defined as multiples of other units.
  const auto other = Handle(StepBasic_ConversionBasedUnit)::DownCast(unit);
  if (other.IsNull() || other->ConversionFactor().IsNull()) return std::nullopt;
  auto base = unit_of(other->ConversionFactor()->UnitComponent(), depth + 1);
  if (base) base->factor *= other->ConversionFactor()->ValueComponent();
  return base;
}

/// Of a density in this unit, to kg/m^3. Empty if it is not a mass per volume.
std::optional<double> density_factor(const StepBasic_Unit& unit) {
  const auto product = unit_of(unit, 0);
  if (!product) return std::nullopt;
  if (product->mass == 1.0 && product->length == -3.0) return product->factor;
  // OpenCASCADE, and so FreeCAD, writes g^3 cm^2 for g/cm^3.
  constexpr double kGramPerCubicCentimetre = 1000.0;
  if (product->mass == 3.0 && product->length == 2.0) return kGramPerCubicCentimetre;
  return std::nullopt;
}

std::string_view text_of(const Handle(TCollection_HAsciiString) & text) {
  return text.IsNull() ? std::string_view() : std::string_view(text->ToCString());
}

/// The product that a property describes, directly or through its shape.
Handle(StepBasic_ProductDefinition) product_of(const Handle(StepRepr_PropertyDefinition) & property) {
  if (property.IsNull()) return {};
  const StepRepr_CharacterizedDefinition described = property->Definition();
  if (described.IsNull()) return {};
  if (const auto product = described.ProductDefinition(); !product.IsNull()) return product;
  const auto shape = described.ProductDefinitionShape();
  return shape.IsNull() || shape->Definition().IsNull() ? Handle(StepBasic_ProductDefinition)()
                                                        : shape->Definition().ProductDefinition();
}

using ByProduct = std::map<const Standard_Transient*, StepMaterial>;

/// Adds what one property says of its product. Returns false if that is a density in an unknown unit.
bool add_property(const StepRepr_PropertyDefinitionRepresentation& property, ByProduct& materials) {
  if (property.Definition().IsNull() || property.UsedRepresentation().IsNull()) return true;
  const auto product = product_of(property.Definition().PropertyDefinition());
  if (product.IsNull()) return true;
  const StepRepr_Representation& representation = *property.UsedRepresentation();
  const std::string_view about = text_of(representation.Name());
  bool is_known = true;
  for (int i = 1; !representation.Items().IsNull() && i <= representation.NbItems(); ++i) {
    const auto item = representation.ItemsValue(i);
    const auto text = Handle(StepRepr_DescriptiveRepresentationItem)::DownCast(item);
    if (!text.IsNull() && about == "material name") {
      const std::string_view name = text_of(text->Name());
      materials[product.get()].name = name.empty() ? text_of(text->Description()) : name;
    }
    const auto number = Handle(StepRepr_MeasureRepresentationItem)::DownCast(item);
    if (number.IsNull() || number->Measure().IsNull()) continue;
    if (about.find("density") == about.npos && text_of(number->Name()).find("density") == about.npos) continue;
    const auto factor = density_factor(number->Measure()->UnitComponent());
    const double density = factor.value_or(0.0) * number->Measure()->ValueComponent();
    if (!factor) is_known = false;
    if (std::isfinite(density) && density > 0.0) materials[product.get()].density = density;
  }
  return is_known;
}

}  // namespace

StepMaterials::StepMaterials(const Handle(XSControl_WorkSession) & session,
                             const XCAFDoc_DataMapOfShapeLabel& labels) {
  const Handle(Interface_InterfaceModel) model = session->Model();
  ByProduct materials;
  for (int i = 1; i <= model->NbEntities(); ++i) {
    const auto property = Handle(StepRepr_PropertyDefinitionRepresentation)::DownCast(model->Value(i));
    if (!property.IsNull() && !add_property(*property, materials)) ++densities_without_unit_;
  }
  const ByProduct own = materials;
  for (int i = 1; i <= model->NbEntities(); ++i) {
    const auto made = Handle(StepRepr_MakeFromUsageOption)::DownCast(model->Value(i));
    if (made.IsNull()) continue;
    const auto stock = own.find(made->RelatedProductDefinition().get());
    if (stock != own.end()) materials.insert({made->RelatingProductDefinition().get(), stock->second});
  }

  const Handle(Transfer_TransientProcess) process = session->TransferReader()->TransientProcess();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    const auto product = Handle(StepBasic_ProductDefinition)::DownCast(model->Value(i));
    if (product.IsNull()) continue;
    const auto material = materials.find(product.get());
    const Handle(Transfer_Binder) binder = process->Find(product);
    if (material == materials.end() || binder.IsNull()) continue;
    TDF_Label label;
    if (!labels.Find(TransferBRep::ShapeResult(binder), label)) continue;
    TCollection_AsciiString entry;
    TDF_Tool::Entry(label, entry);
    by_label_[entry.ToCString()] = material->second;
  }
}

const StepMaterial* StepMaterials::find(const TDF_Label& product) const {
  TCollection_AsciiString entry;
  TDF_Tool::Entry(product, entry);
  const auto found = by_label_.find(entry.ToCString());
  return found == by_label_.end() ? nullptr : &found->second;
}

}  // namespace lockstep
