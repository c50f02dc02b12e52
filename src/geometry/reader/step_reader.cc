#include <BRepBuilderAPI_Transform.hxx>
#include <IFSelect_ReturnStatus.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <NCollection_DataMap.hxx>
#include <Quantity_ColorRGBA.hxx>
#include <STEPCAFControl_ExternFile.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDataStd_TreeNode.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_MaterialTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "base/text.h"
#include "geometry/assembly_builder.h"
#include "geometry/reader/exact_shape.h"
#include "geometry/reader/read_job.h"

namespace lockstep {
namespace {

constexpr int kMaxDepth = 200;

std::string text_of(const TCollection_ExtendedString& text) {
  const TCollection_AsciiString utf8(text, '\0');
  return {utf8.ToCString(), static_cast<std::size_t>(utf8.Length())};
}

std::string name_of(const TDF_Label& label) {
  Handle(TDataStd_Name) name;
  return label.FindAttribute(TDataStd_Name::GetID(), name) ? text_of(name->Get()) : std::string();
}

/// Whether a program made the name up because it needed one.
bool is_made_up(std::string_view name) {
  return name.empty() || name.starts_with("NAUO") || name.starts_with("=>[") || name == "NONE";
}

/// A placement: a rotation, and a factor (negative: mirrored) that everything below it is larger by.
struct ScaledPlacement {
  Pose pose;  ///< m
  double factor = 1.0;
};

ScaledPlacement placement_of(const TopLoc_Location& location) {
  constexpr double kRounding = 1e-9;
  const gp_Trsf transformation = location.Transformation();
  ScaledPlacement placement;
  const gp_XYZ& p = transformation.TranslationPart();
  placement.pose.p = kMillimetre * Vec3(p.X(), p.Y(), p.Z());
  placement.factor = transformation.ScaleFactor();
  if (std::abs(placement.factor - 1.0) < kRounding) placement.factor = 1.0;
  const gp_Mat& matrix = transformation.HVectorialPart();
  Mat3 R;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) = matrix.Value(i + 1, j + 1);
  }
  // A mirror may hide in the matrix instead of the factor.
  if (R.determinant() < 0.0) {
    R = -R;
    placement.factor = -placement.factor;
  }
  placement.pose.q = Quat(R).normalized();
  return placement;
}

class StepReader {
 public:
  explicit StepReader(const ReadJob& job)
      : job_(job), place_{job.file_name}, source_{{}, place_}, builder_(source_) {}

  Assembly read() {
    Message::DefaultMessenger()->ChangePrinters().Clear();
    STEPCAFControl_Reader reader;
    load(reader);
    note_header(reader);
    transfer(reader);
    TDF_LabelSequence roots;
    shapes_->GetFreeShapes(roots);
    for (int i = 1; i <= roots.Length(); ++i) walk(roots.Value(i), roots.Value(i), -1, 1.0, 0);
    return builder_.finish();
  }

 private:
  void load(STEPCAFControl_Reader& reader) {
    reader.SetColorMode(Standard_True);
    reader.SetNameMode(Standard_True);
    reader.SetMatMode(Standard_True);
    reader.SetLayerMode(Standard_False);
    reader.SetPropsMode(Standard_False);
    reader.SetGDTMode(Standard_False);
    reader.SetViewMode(Standard_False);
    std::istringstream stream(job_.bytes);
    const IFSelect_ReturnStatus status = reader.ChangeReader().ReadStream("file.step", stream);
    if (status != IFSelect_RetDone)
      throw_mesh_error(source_, 0, "it breaks the syntax of STEP (ISO 10303-21), or is not complete");
  }

  void note_header(STEPCAFControl_Reader& reader) {
    const std::string_view beginning = std::string_view(job_.bytes).substr(0, 100'000);
    const std::size_t schema = beginning.find("FILE_SCHEMA");
    const std::size_t begin = std::min(beginning.find('\'', schema), beginning.size());
    const std::size_t end = std::min(beginning.find_first_of("' {", begin + 1), beginning.size());
    if (schema != beginning.npos && begin + 1 < end)
      builder_.notes().read.push_back("STEP, " + shown_text(beginning.substr(begin + 1, end - begin - 1)));
    TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
    reader.ChangeReader().FileUnits(lengths, angles, solid_angles);
    if (lengths.IsEmpty()) {
      builder_.notes().assumed.emplace_back("lengths are in millimetres: the file does not say");
    } else {
      builder_.notes().read.push_back(fmt::format("lengths in {}", shown_text(lengths.First().ToCString())));
    }
    if (job_.options.unit_length && !lengths.IsEmpty())
      builder_.notes().suspicious.emplace_back(
          "a unit of length was given, but the file has its own, which counts");
  }

  void transfer(STEPCAFControl_Reader& reader) {
    document_ = new TDocStd_Document("BinXCAF");
    // The unit that OpenCASCADE's tolerances are made for.
    XCAFDoc_DocumentTool::Set(document_->Main(), Standard_False);
    XCAFDoc_DocumentTool::SetLengthUnit(document_, kMillimetre);
    if (!reader.Transfer(document_)) throw_mesh_error(source_, 0, "there are no shapes in it");
    shapes_ = XCAFDoc_DocumentTool::ShapeTool(document_->Main());
    colors_ = XCAFDoc_DocumentTool::ColorTool(document_->Main());
    materials_ = XCAFDoc_DocumentTool::MaterialTool(document_->Main());
    using ExternFiles = NCollection_DataMap<TCollection_AsciiString, Handle(STEPCAFControl_ExternFile)>;
    for (ExternFiles::Iterator at(reader.ExternFiles()); at.More(); at.Next()) {
      builder_.notes().lost.push_back(
          fmt::format("parts in another file, '{}'", shown_text(at.Key().ToCString())));
    }
  }

  /// `label` is where the part hangs, `product` what it is; they are the same for a root.
  void walk(const TDF_Label& label, const TDF_Label& product, int parent, double factor, int depth) {
    if (depth > kMaxDepth) throw_mesh_error(source_, 0, "parts lie in each other too deeply");
    const bool is_instance = label != product;
    ScaledPlacement placement;
    if (is_instance) placement = placement_of(XCAFDoc_ShapeTool::GetLocation(label));
    placement.pose.p *= factor;
    const double below = factor * placement.factor;
    std::string name = is_instance ? name_of(label) : std::string();
    if (is_made_up(name)) name = name_of(product);
    const int part = builder_.add_part(name, stem(job_.file_name), parent, placement.pose);
    if (XCAFDoc_ShapeTool::IsAssembly(product)) {
      TDF_LabelSequence components;
      XCAFDoc_ShapeTool::GetComponents(product, components);
      for (int i = 1; i <= components.Length(); ++i) {
        TDF_Label referred;
        if (XCAFDoc_ShapeTool::GetReferredShape(components.Value(i), referred))
          walk(components.Value(i), referred, part, below, depth + 1);
      }
      return;
    }
    builder_.part(part).shape = find_shape(product, below, part);
    set_color(builder_.part(part), label, product);
    set_material(builder_.part(part), product);
  }

  /// The shape of a product, made at its first use; -1 if it has no surface.
  int find_shape(const TDF_Label& product, double factor, int part) {
    TCollection_AsciiString entry;
    TDF_Tool::Entry(product, entry);
    const auto [at, is_new] = known_.try_emplace({entry.ToCString(), factor}, -1);
    if (!is_new) return at->second;
    TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(product);
    if (factor != 1.0) {
      gp_Trsf scaling;
      scaling.SetScale(gp_Pnt(), factor);
      shape = BRepBuilderAPI_Transform(shape, scaling, Standard_True).Shape();
    }
    const std::string& name = builder_.part(part).name;
    auto made = make_part_shape(shape, job_.options.deviation, name, builder_.notes());
    if (made) {
      at->second = builder_.add_shape(std::move(*made));
    } else {
      builder_.notes().lost.push_back(fmt::format("'{}' has no surface", name));
    }
    return at->second;
  }

  /// That of the place, else of the product, else of the first solid or face that has one.
  void set_color(Part& part, const TDF_Label& label, const TDF_Label& product) {
    Quantity_ColorRGBA color;
    const auto find = [&](const auto& owner) {
      return colors_->GetColor(owner, XCAFDoc_ColorSurf, color) ||
             colors_->GetColor(owner, XCAFDoc_ColorGen, color);
    };
    bool is_found = find(label) || find(product);
    const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(product);
    for (const TopAbs_ShapeEnum kind : {TopAbs_SOLID, TopAbs_FACE}) {
      for (TopExp_Explorer at(shape, kind); at.More() && !is_found; at.Next()) is_found = find(at.Current());
    }
    if (!is_found) return;
    double red = 0.0, green = 0.0, blue = 0.0;
    color.GetRGB().Values(red, green, blue, Quantity_TOC_sRGB);
    const auto channel = [](double value) { return std::clamp(value, 0.0, 1.0); };
    part.color = {channel(red), channel(green), channel(blue), channel(color.Alpha())};
  }

  void set_material(Part& part, const TDF_Label& product) {
    Handle(TDataStd_TreeNode) node;
    if (!product.FindAttribute(XCAFDoc::MaterialRefGUID(), node) || !node->HasFather()) return;
    Handle(TCollection_HAsciiString) name, description, density_name, density_type;
    double density = 0.0;
    if (!materials_->GetMaterial(node->Father()->Label(), name, description, density, density_name,
                                 density_type))
      return;
    if (!name.IsNull()) part.material = clean_label(name->ToCString());
    if (std::isfinite(density) && density > 0.0) part.density = density * kDensityUnit;
  }

  static constexpr double kDensityUnit = 1000.0;  // OpenCASCADE gives g/cm^3

  const ReadJob& job_;
  Place place_;
  MeshSource source_;
  AssemblyBuilder builder_;
  Handle(TDocStd_Document) document_;
  Handle(XCAFDoc_ShapeTool) shapes_;
  Handle(XCAFDoc_ColorTool) colors_;
  Handle(XCAFDoc_MaterialTool) materials_;
  std::map<std::pair<std::string, double>, int> known_;
};

}  // namespace

Assembly read_step_file(const ReadJob& job) {
  try {
    return StepReader(job).read();
  } catch (const Standard_Failure& failure) {
    throw_user_error({job.file_name}, "OpenCASCADE gives up on it: {} {}", failure.DynamicType()->Name(),
                     shown_text(failure.GetMessageString()));
  }
}

}  // namespace lockstep
