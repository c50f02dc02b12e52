#include "formats/common/source_tree.h"

namespace lockstep {

Element read_tree(const ImportSource& source) {
  return source.tree ? *source.tree : read_xml(source.bytes, source.name);
}

}  // namespace lockstep
