#pragma once

#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <STEPControl_Controller.hxx>
#include <TCollection_ExtendedString.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_MaterialTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <filesystem>
#include <string>

#include "solids_testing.h"

/// Assemblies as written by a CAD program.
namespace lockstep {

class StepFile {
 public:
  StepFile() : document_(new TDocStd_Document("BinXCAF")) {
    Message::DefaultMessenger()->ChangePrinters().Clear();
    XCAFDoc_DocumentTool::Set(document_->Main(), Standard_False);
    XCAFDoc_DocumentTool::SetLengthUnit(document_, 1e-3);
    shapes_ = XCAFDoc_DocumentTool::ShapeTool(document_->Main());
  }

  TDF_Label add_product(const TopoDS_Shape& shape, const std::string& name) {
    const TDF_Label label = shapes_->AddShape(shape, Standard_False);
    set_name(label, name);
    return label;
  }
  TDF_Label add_assembly(const std::string& name) {
    const TDF_Label label = shapes_->NewShape();
    set_name(label, name);
    return label;
  }
  TDF_Label add_instance(const TDF_Label& assembly, const TDF_Label& product, const std::string& name,
                         const gp_Trsf& placement) {
    const TDF_Label label = shapes_->AddComponent(assembly, product, TopLoc_Location(placement));
    set_name(label, name);
    return label;
  }
  /// Red, green and blue in sRGB.
  void set_color(const TDF_Label& label, double red, double green, double blue) {
    XCAFDoc_DocumentTool::ColorTool(document_->Main())
        ->SetColor(label, Quantity_Color(red, green, blue, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
  }
  /// `density` in g/cm^3.
  void set_material(const TDF_Label& label, const char* name, double density) {
    const auto text = [](const char* value) { return new TCollection_HAsciiString(value); };
    XCAFDoc_DocumentTool::MaterialTool(document_->Main())
        ->SetMaterial(label, text(name), text(""), density, text("density measure"),
                      text("POSITIVE_RATIO_MEASURE"));
  }

  /// `schema` is AP203, AP214IS or AP242DIS, `unit` MM, M or INCH.
  void write(const std::filesystem::path& path, const char* schema = "AP214IS", const char* unit = "MM") {
    shapes_->UpdateAssemblies();
    STEPControl_Controller::Init();
    Interface_Static::SetCVal("write.step.schema", schema);
    Interface_Static::SetCVal("write.step.unit", unit);
    STEPCAFControl_Writer writer;  // reads the settings when constructed
    writer.Transfer(document_);
    writer.Write(path.c_str());
  }

  /// Each product in a file of its own beside the assembly, named by its product with a prefix: "p_plate.stp".
  void write_separately(const std::filesystem::path& path) {
    shapes_->UpdateAssemblies();
    STEPControl_Controller::Init();
    Interface_Static::SetCVal("write.step.schema", "AP214IS");
    Interface_Static::SetCVal("write.step.unit", "MM");
    STEPCAFControl_Writer writer;
    writer.Transfer(document_, STEPControl_AsIs, "p_");
    writer.Write(path.c_str());
  }

 private:
  static void set_name(const TDF_Label& label, const std::string& name) {
    TDataStd_Name::Set(label, TCollection_ExtendedString(name.c_str(), Standard_True));
  }

  Handle(TDocStd_Document) document_;
  Handle(XCAFDoc_ShapeTool) shapes_;
};

inline gp_Trsf placement(const Vec3& p, const Vec3& axis = Vec3::UnitZ(), double angle = 0.0) {
  gp_Trsf rotation, translation;
  rotation.SetRotation(gp_Ax1(gp_Pnt(), gp_Dir(axis.x(), axis.y(), axis.z())), angle);
  translation.SetTranslation(gp_Vec(p.x(), p.y(), p.z()));
  return translation * rotation;
}

}  // namespace lockstep
