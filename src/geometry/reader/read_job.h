#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "geometry/assembly.h"
#include "geometry/face_colors.h"
#include "geometry/reader_protocol.h"

/// The readers of lockstep-reader. Errors are thrown as UserError at a place in the file.
namespace lockstep {

/// Returns the file of that name, as referenced in the input.
using FindFile = std::function<Result<FileContent>(std::string_view name)>;

/// The texture of that name; a line in the notes if it cannot be read.
std::optional<Texture> find_texture(const std::string& name, const FindFile& find_file, ImportNotes& notes);

Assembly read_shapes(const ReadJob& job, const FindFile& find_file);

Assembly read_step_file(const ReadJob& job, const FindFile& find_file);   ///< OpenCASCADE
Assembly read_scene_file(const ReadJob& job, const FindFile& find_file);  ///< DAE and glTF: assimp
Assembly read_obj_file(const ReadJob& job, const FindFile& find_file);
Assembly read_stl_file(const ReadJob& job);

}  // namespace lockstep
