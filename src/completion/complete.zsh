#compdef @PROGRAM@
# SPDX-License-Identifier: MIT
#
# zsh completion for @PROGRAM@.  The program says what may stand at the cursor:
# see src/base/option.h.

local line name
local -a lines ended ended_shown open open_shown

lines=(${(f)"$(${~words[1]} --completion "${(@)words[2,CURRENT-1]}" \
	"$PREFIX" 2>/dev/null)"})
case ${lines[1]} in
(:file*)
	compset -P '*='
	_files ;;
(:directory*)
	compset -P '*='
	_files -/ ;;
(:words*)
	shift $((${lines[1]#* } + 1)) words
	((CURRENT -= ${lines[1]#* } + 1))
	_normal ;;
(*)
	# After = and the like the word goes on.
	for line in $lines; do
		name=${line%%$'\t'*}
		if [[ $name == *[=:@] ]]; then
			open+=($name) open_shown+=(${line/$'\t'/  -- })
		else
			ended+=($name) ended_shown+=(${line/$'\t'/  -- })
		fi
	done
	compadd -l -d ended_shown -a ended
	compadd -S '' -l -d open_shown -a open ;;
esac
