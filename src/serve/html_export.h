#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "assemble/registry.h"
#include "lockstep/error.h"
#include "serve/jobs.h"

/// A run as one HTML file: the page with the run inside, which opens without a server and without a network.
///
/// The file is the page of `lockstep serve` with its script and style in place, and an element
/// <script type="application/gzip" id="recording"> that holds, in base64 of gzip,
///
///     u32   length of the JSON, which is padded with blanks to a multiple of 8 bytes (with these 8 bytes)
///     u32   0
///     JSON  {"version", "scene", "events": [{"time", "text"}], "assets": {URL: base64 of gzip}, "end" (s),
///           "frames", "rows", "row_period" (s)}; the scene is that of docs/viewer-protocol.md
///     f64   per frame: time, s; then per frame: step
///     f64   per row: time, then all signals of the scene
///     f32   per frame and body: position, quaternion w x y z; then per frame and joint: its position
///
/// Long runs have fewer frames and rows, so that the file stays small enough for a browser.
namespace lockstep::serve {

/// Of a session's run, in the background. Does not throw.
Result<std::string> make_html(const RecordingJob& job, const Registry& registry,
                              const std::function<bool()>& is_cancelled);

/// Of a recording, which is repeated. Throws UserError.
std::string make_html(const std::filesystem::path& recording, const Registry& registry);

}  // namespace lockstep::serve
