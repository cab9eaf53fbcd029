# SPDX-License-Identifier: MIT
#
# markdown.awk: writes a manual page as Markdown.  It knows the macros of man(7) and
# the escapes that the pages of this directory use, and stops at others.
#
# Paragraphs of .TP and .IP are items of a list, and .RS indents what an item holds.

function fail(what)
{
	print FILENAME ":" FNR ": " what >"/dev/stderr"
	failed = 1
	exit 1
}

# Return the text with its characters instead of escapes; fonts become \001 (bold),
# \002 (italics) and \003 (roman).
function characters(text)
{
	gsub(/\\fB/, "\001", text)
	gsub(/\\fI/, "\002", text)
	gsub(/\\f[RP]/, "\003", text)
	gsub(/\\-/, "-", text)
	gsub(/\\\(aq/, "'", text)
	gsub(/\\\(dq/, "\"", text)
	gsub(/\\\(lq/, "\342\200\234", text)
	gsub(/\\\(rq/, "\342\200\235", text)
	gsub(/\\\(bu/, "-", text)
	gsub(/\\&/, "", text)
	gsub(/\\ /, " ", text)
	gsub(/\\[e\\]/, "\004", text)
	if (text ~ /\\/)
		fail("an escape that markdown.awk does not know: " text)
	gsub(/\004/, "\\", text)
	return text
}

# Return the text as Markdown, which may be put between others.
function inline(text,    out, n, i, c, font)
{
	text = characters(text)
	gsub(/[\001-\003]+$/, "", text)
	n = length(text)
	for (i = 1; i <= n; i++) {
		c = substr(text, i, 1)
		if (c ~ /[\001-\003]/) {
			if (substr(text, i + 1, 1) ~ /[\001-\003]/ || c == font)
				continue
			out = out closing[font] opening[c]
			font = c
		} else if (index("\\`*_[]<>#|~&", c)) {
			out = out (c == "<" ? "&lt;" : c == "&" ? "&amp;" : "\\" c)
		} else {
			out = out c
		}
	}
	if (out ~ /^([-+]|[0-9]+[.)])( |$)/)
		out = substr(out, 1, match(out, /[-+.)]/) - 1) "\\" \
			substr(out, RSTART)
	return with_links(out closing[font])
}

# Return the Markdown with the names of pages in PAGES as links to them.
function with_links(text,    name, at, n, i, all, old, new)
{
	n = split(PAGES, all, " ")
	for (i = 1; i <= n; i++) {
		name = all[i]
		sub(/.*\//, "", name)
		old = name
		sub(/\.[0-9]$/, "", old)
		old = "<b>" old "</b>(" substr(name, length(name)) ")"
		new = "[" old "](" name ".md)"
		if (at = index(text, old))
			text = substr(text, 1, at - 1) new \
				substr(text, at + length(old))
	}
	return text
}

# Split a line of a macro into words[]; return their number.
function split_words(line,    n, word, quoted, i, c, has_word)
{
	sub(/^\.[A-Za-z]+ */, "", line)
	for (i = 1; i <= length(line) + 1; i++) {
		c = substr(line, i, 1)
		if (c == "\"") {
			quoted = !quoted
			has_word = 1
		} else if (c == "" || (c == " " && !quoted)) {
			if (has_word)
				words[++n] = word
			word = ""
			has_word = 0
		} else {
			if (c == "\\")
				c = c substr(line, ++i, 1)
			word = word c
			has_word = 1
		}
	}
	return n + 0
}

function all_words(n,    i, out)
{
	for (i = 1; i <= n; i++)
		out = out (i > 1 ? " " : "") words[i]
	return out
}

# Return the words of a macro in its fonts, one after the other.
function in_fonts(macro, n,    i, out)
{
	if (length(macro) == 1)
		return "\\f" macro all_words(n) "\\fR"
	for (i = 1; i <= n; i++)
		out = out "\\f" substr(macro, 2 - i % 2, 1) words[i]
	return out "\\fR"
}

function put(line)
{
	if (line == "" && last == "")
		return
	print (line == "" ? "" : margin bullet line)
	if (line != "" && bullet != "") {
		margin = margin "  "
		bullet = ""
	}
	last = line
}

# Begin a paragraph at this margin.
function paragraph(spaces)
{
	put("")
	margin = spaces
}

function text_line(text)
{
	if (is_code) {
		text = characters(text)
		gsub(/[\001-\003]/, "", text)
		print margin text
		return
	}
	if (is_tag) {
		is_tag = 0
		paragraph(base)
		bullet = "- "
		put(inline(text))
		put("")
		return
	}
	put(inline(text))
}

function begin_code()
{
	put("")
	print margin "```"
	is_code = 1
}

function end_code()
{
	print margin "```"
	is_code = 0
	last = "```"
	put("")
}

BEGIN {
	opening["\001"] = "<b>"; closing["\001"] = "</b>"
	opening["\002"] = "<i>"; closing["\002"] = "</i>"
}

{
	while (sub(/\\$/, "")) {
		line = $0
		if ((getline) <= 0)
			break
		$0 = line $0
	}
}
/^\.\\"/ { next }
!/^\./ { text_line($0); next }

{ macro = substr($1, 2); n = split_words($0) }

macro ~ /^([BI]|B[RI]|I[RB]|R[BI])$/ { text_line(in_fonts(macro, n)); next }
macro == "TH" {
	print "<!-- Made from " FILENAME " by `make man-markdown`. -->"
	print "# " tolower(words[1]) "(" words[2] ")"
	last = "#"
	next
}
macro == "SH" || macro == "SS" {
	base = ""
	depth = 0
	paragraph("")
	put((macro == "SH" ? "## " : "### ") inline(all_words(n)))
	paragraph("")
	next
}
macro == "PP" { paragraph(base); next }
macro == "TP" { is_tag = 1; next }
macro == "IP" {
	paragraph(n == 0 ? base "  " : base)
	bullet = n == 0 ? "" : "- "
	next
}
macro == "RS" { outer[++depth] = base; base = margin; next }
macro == "RE" { margin = base; base = outer[depth--]; next }
macro == "nf" || macro == "EX" { begin_code(); next }
macro == "fi" || macro == "EE" { end_code(); next }
macro == "br" { put("<br>"); next }
{ fail("a macro that markdown.awk does not know: ." macro) }
