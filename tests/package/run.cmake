# Installs the build, then configures, builds and runs a project that knows only the install tree.
# Called by CTest with BUILD (the build folder), WORK (a scratch folder), SOURCE and VERSION.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "${words}\nended with status ${status}\n${out}\n${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --component fermat --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/build -G ${GENERATOR}
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix)
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/consumer)
if(NOT output STREQUAL "fermat ${VERSION}\n")
  message(FATAL_ERROR "the consumer printed '${output}' (must be 'fermat ${VERSION}')")
endif()

# A tree that still points into the source or the build folder only works on this machine.
file(GLOB_RECURSE exported ${WORK}/prefix/*.cmake)
foreach(file ${exported})
  file(READ ${file} text)
  foreach(folder ${PROJECT} ${BUILD})
    string(FIND "${text}" "${folder}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder} (an installed package must not)")
    endif()
  endforeach()
endforeach()
