# SPDX-License-Identifier: MIT
# fish completion for qpuasm.

complete -c qpuasm -l format -x -a 'bin c hex' -d 'Form of the program'
complete -c qpuasm -s I -l include -x -a '(__fish_complete_directories)' \
    -d 'Search this directory for included files'
complete -c qpuasm -l ignore -x -d 'Do not report these rules'
complete -c qpuasm -s i -l preload -r -F -d 'Assemble this file first'
complete -c qpuasm -l lines -r -F -d 'Write the table of source lines'
complete -c qpuasm -l list -r -F -d 'Write a listing'
complete -c qpuasm -l no-check -d 'Do not check for hazards'
complete -c qpuasm -s o -l output -r -F -d 'Write the program'
complete -c qpuasm -l help -d 'Print help'
complete -c qpuasm -l usage -d 'Print a short help'
complete -c qpuasm -s V -l version -d 'Print the version'
