#include "geometry/reader/read_job.h"

#include "base/text.h"
#include "geometry/shape_format.h"
#include "lockstep/error.h"

namespace lockstep {

std::optional<Texture> find_texture(const std::string& name, const FindFile& find_file, ImportNotes& notes) {
  const auto lose = [&](const std::string& why) {
    notes.lost.push_back(fmt::format("the texture '{}', which {}", shown_text(name), why));
    return std::nullopt;
  };
  const Result<FileContent> file = find_file(name);
  if (!file) return lose("cannot be read: " + file.error());
  Result<Texture> texture = Texture::read(file->bytes);
  if (!texture) return lose(texture.error());
  notes.assumed.push_back(fmt::format(
      "the texture '{}': each face has its colour in the middle of the face, of at most {} colours per part",
      shown_text(name), kMaxFaceColors));
  return *std::move(texture);
}

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
