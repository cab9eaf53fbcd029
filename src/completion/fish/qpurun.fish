# SPDX-License-Identifier: MIT
# fish completion for qpurun.  Addresses are the user's to know.

complete -c qpurun -l check -d 'Noise, random interleaving, report hazards'
complete -c qpurun -l code -r -F -d 'Program at a bus address'
complete -c qpurun -l counters -d 'Print the counters of the hardware'
complete -c qpurun -l launch -x -d 'A QPU for each pair'
complete -c qpurun -l lines -r -F -d 'Line map of the first program'
complete -c qpurun -l max-instructions -x -d 'Stop after so many'
complete -c qpurun -l mem -r -F -d 'Memory at a bus address'
complete -c qpurun -l profile -d 'Print what each instruction cost'
complete -c qpurun -l seed -x -d 'Of noise and interleaving'
complete -c qpurun -l timed -d 'Use the cycle model'
complete -c qpurun -l trace -r -F -d 'Write each instruction'
complete -c qpurun -l uniforms -x -d 'A QPU for each address'
complete -c qpurun -l help -d 'Print help'
complete -c qpurun -l usage -d 'Print a short help'
complete -c qpurun -s V -l version -d 'Print the version'
