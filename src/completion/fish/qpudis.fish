# SPDX-License-Identifier: MIT
# fish completion for qpudis.

complete -c qpudis -l check -d 'Check for hazards'
complete -c qpudis -l ignore -x -d 'Do not report these rules'
complete -c qpudis -l help -d 'Print help'
complete -c qpudis -l usage -d 'Print a short help'
complete -c qpudis -s V -l version -d 'Print the version'
