#include "formats/common/source_tree.h"

#include "formats/common/lenient_xml.h"

namespace lockstep {

Element read_tree(const ImportSource& source, FormatReport& report) {
  return source.tree ? *source.tree : read_xml(as_strict_xml(source, report), source.name);
}

}  // namespace lockstep
