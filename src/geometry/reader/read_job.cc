#include "geometry/reader/read_job.h"

#include "geometry/shape_format.h"
#include "lockstep/error.h"

namespace lockstep {

Assembly read_shapes(const ReadJob& job, const FindFile& find_file) {
  const auto format = find_shape_format(job.bytes, job.file_name);
  if (!format) throw_user_error({job.file_name}, "{}", kNoShapeFormat);
  switch (*format) {
    case ShapeFormat::kStep:
      return read_step_file(job, find_file);
    case ShapeFormat::kObj:
      return read_obj_file(job, find_file);
    case ShapeFormat::kStl:
      return read_stl_file(job);
    case ShapeFormat::kDae:
    case ShapeFormat::kGltf:
      return read_scene_file(job, find_file);
  }
  throw_user_error({job.file_name}, "{}", kNoShapeFormat);
}

}  // namespace lockstep
