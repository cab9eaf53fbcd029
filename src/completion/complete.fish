# SPDX-License-Identifier: MIT
#
# fish completion for @PROGRAM@.  The program says what may stand at the cursor:
# see src/base/option.h.

function __qpu_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] --completion $words[2..] "$current" 2>/dev/null)
    set -l rest (string replace -r '^:\w+ ' '' -- "$lines[1]")
    switch "$lines[1]"
        case ':file*' ':directory*'
            set -l typed (string sub -s (math 1 + (string length -- "$rest")) -- "$current")
            set -l names (__fish_complete_path "$typed")
            string match -q ':directory*' -- $lines[1]
            and set names (__fish_complete_directories "$typed")
            for name in $names
                printf '%s%s\n' "$rest" "$name"
            end
        case ':words*'
            set -l first (math $rest + 2)
            set words $words "$current"
            complete -C (string join ' ' -- (string escape -- $words[$first..-2]) $current)
        case '*'
            test -z "$lines[1]"; or printf '%s\n' $lines
    end
end

complete -c @PROGRAM@ -f -a '(__qpu_complete)'
