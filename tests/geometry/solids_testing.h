#pragma once

#include <BRepAlgoAPI_Cut.hxx>
#include <BRepBuilderAPI_Transform.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCone.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRepPrimAPI_MakeTorus.hxx>
#include <BRep_Builder.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Shape.hxx>
#include <gp_Ax2.hxx>
#include <gp_Trsf.hxx>
#include <initializer_list>

#include "lockstep/math.h"

/// Solids in millimetres, as OpenCASCADE builds them.
namespace lockstep {

inline TopoDS_Shape transformed_solid(const TopoDS_Shape& shape, const gp_Trsf& transformation) {
  return BRepBuilderAPI_Transform(shape, transformation, Standard_True).Shape();
}

inline TopoDS_Shape moved_solid(const TopoDS_Shape& shape, const Vec3& way) {
  gp_Trsf transformation;
  transformation.SetTranslation(gp_Vec(way.x(), way.y(), way.z()));
  return transformed_solid(shape, transformation);
}

inline TopoDS_Shape turned_solid(const TopoDS_Shape& shape, const Vec3& axis, double angle) {
  gp_Trsf transformation;
  transformation.SetRotation(gp_Ax1(gp_Pnt(), gp_Dir(axis.x(), axis.y(), axis.z())), angle);
  return transformed_solid(shape, transformation);
}

/// Mirrored at the plane x = 0.
inline TopoDS_Shape mirrored_solid(const TopoDS_Shape& shape) {
  gp_Trsf transformation;
  transformation.SetMirror(gp_Ax2(gp_Pnt(), gp_Dir(1, 0, 0)));
  return transformed_solid(shape, transformation);
}

inline TopoDS_Shape compound(std::initializer_list<TopoDS_Shape> shapes) {
  TopoDS_Compound result;
  BRep_Builder builder;
  builder.MakeCompound(result);
  for (const TopoDS_Shape& shape : shapes) builder.Add(result, shape);
  return result;
}

/// A box about the origin.
inline TopoDS_Shape centred_box(double x, double y, double z) {
  return BRepPrimAPI_MakeBox(gp_Pnt(-x / 2, -y / 2, -z / 2), x, y, z).Shape();
}

}  // namespace lockstep
