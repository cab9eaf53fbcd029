# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# bash completion for @PROGRAM@.  The program says what may stand at the cursor:
# see src/base/option.h.

_qpu_complete()
{
	local part=$2 i whole offset words=() starts=() lines=()

	# readline cuts words at =, : and @ (COMP_WORDBREAKS); join them again.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		if ((i > 1)) && [[ ${COMP_WORDS[i]} == [=:@]* ||
			${COMP_WORDS[i - 1]} == *[=:@] ]]; then
			words[-1]+=${COMP_WORDS[i]}
		else
			words+=("${COMP_WORDS[i]}") starts+=("$i")
		fi
	done
	whole=${words[-1]}
	# readline has no word yet after such a character; another completion
	# that calls this one may take the character itself for the word.
	[[ $part == *[!=:@]* ]] || part=
	mapfile -t lines < <("${1/#~\//$HOME/}" --completion "${words[@]}" \
		2>/dev/null)

	COMPREPLY=()
	case ${lines[0]-} in
	:file*)	;; # readline completes names of files
	:directory*)
		compopt +o bashdefault +o default -o dirnames ;;
	:words*)
		offset=${starts[${lines[0]#* }]}
		if declare -F _command_offset >/dev/null; then
			_command_offset "$offset"
		elif ((offset == COMP_CWORD)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$part")
		fi ;;
	?*)	# Without what readline takes for other words.
		lines=("${lines[@]%%$'\t'*}")
		COMPREPLY=("${lines[@]#"${whole%"$part"}"}")
		[[ ${#lines[@]} != 1 || ${lines[0]} != *[=:@] ]] ||
			compopt -o nospace ;;
	esac
}

complete -o bashdefault -o default -F _qpu_complete @PROGRAM@
