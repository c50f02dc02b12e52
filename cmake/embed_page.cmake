# Embeds the built page (web/dist, from `npm run build` in web/) in a module, compressed. Without it the server shows
# a page that says how to build it.
function(lockstep_embed_page module)
  set(dist ${PROJECT_SOURCE_DIR}/web/dist)
  set(generated ${PROJECT_BINARY_DIR}/page)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${dist}/*)
  add_custom_command(
    OUTPUT ${generated}/page_files.cc
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed_page.py ${dist} ${generated}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_page.py ${files}
    COMMENT "Embedding the page")
  target_sources(${module} PRIVATE ${generated}/page_files.cc)
endfunction()
