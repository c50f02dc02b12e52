# lockstep_embed_text(MODULE FILE…) embeds text files in a module: `report.css` becomes
#
#     namespace lockstep { extern const std::string_view kReportCss; }
function(lockstep_embed_text module)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[^a-zA-Z0-9]" ";" words ${name})
    set(constant k)
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND constant ${first}${rest})
    endforeach()
    file(READ ${file} text)
    set(source ${PROJECT_BINARY_DIR}/embedded/${module}/${name}.cc)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[
#include <string_view>
namespace lockstep {
extern const std::string_view @constant@;
const std::string_view @constant@ = R"embedded(@text@)embedded";
}  // namespace lockstep
]=])
    target_sources(${module} PRIVATE ${source})
  endforeach()
endfunction()
