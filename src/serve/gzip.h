#pragma once

#include <string>
#include <string_view>

namespace lockstep::serve {

/// In gzip format, quickly rather than as small as possible.
std::string compress(std::string_view bytes);

/// The bytes of our own gzip data.
std::string decompress(std::string_view gzip);

}  // namespace lockstep::serve
