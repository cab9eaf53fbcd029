# SPDX-License-Identifier: MIT
"""mutants: small changes to a C source, found token by token.

Comments, strings, preprocessor lines and all that is outside of braces stay
as they are.  A mutant replaces one span of the text of a file by another.
"""

import hashlib
import re

TOKEN = re.compile(
    r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.]))
  | (?P<float>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

# Replacements of an operator between two operands.
SWAPS = {
    "<": ("<=", "bound"), "<=": ("<", "bound"),
    ">": (">=", "bound"), ">=": (">", "bound"),
    "==": ("!=", "comparison"), "!=": ("==", "comparison"),
    "&&": ("||", "logic"), "||": ("&&", "logic"),
    "+": ("-", "sign"), "-": ("+", "sign"),
    "+=": ("-=", "sign"), "-=": ("+=", "sign"),
    "++": ("--", "sign"), "--": ("++", "sign"),
    "<<": (">>", "shift"), ">>": ("<<", "shift"),
    "&": ("|", "mask"), "&=": ("|=", "mask"), "|=": ("&=", "mask"),
}
UNARY_TOO = {"&", "+", "-"}
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = set(OPENS.values())
# A statement that begins so declares something or jumps.
TYPES = {
    "auto", "bool", "char", "const", "double", "enum", "extern", "float",
    "int", "long", "register", "short", "signed", "static", "static_assert",
    "struct", "typedef", "union", "unsigned", "void", "volatile",
}
NO_STATEMENT = TYPES | {
    "case", "default", "do", "else", "for", "goto", "if", "return", "switch",
    "while",
}
NO_OPERAND = {"case", "else", "return", "sizeof"}


class Token:
    def __init__(self, kind, text, start):
        self.kind = kind
        self.text = text
        self.start = start
        self.end = start + len(text)
        self.depth = 0  # of braces
        self.partner = None  # index of the matching bracket


class Mutant:
    """The span from start to end of a file's text becomes another text."""

    def __init__(self, file, text, start, end, new, kind):
        self.file = file
        self.start = start
        self.end = end
        self.old = text[start:end]
        self.new = new
        self.kind = kind
        self.line = text.count("\n", 0, start) + 1
        first = text.rfind("\n", 0, start) + 1
        whole = text[first:(text + "\n").index("\n", start)]
        self.place = "%s %s %d %d" % (
            file, whole.strip(), start - first, text.count(whole, 0, first))

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]

    def identity(self):
        """Stays the same while the lines above it change."""
        return hashed("%s\n%s\n%s" % (self.place, self.old, self.new))[:10]

    def change(self):
        shown = [" ".join(text.split()) for text in (self.old, self.new)]
        return "%s  ->  %s" % (shown[0], shown[1] or "(nothing)")


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()


def tokens_of(text):
    tokens = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            tokens.append(Token(match.lastgroup, match.group(), match.start()))
    stack = []
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind == "sign" and token.text in OPENS:
            stack.append(i)
            depth += token.text == "{"
        elif token.kind == "sign" and token.text in CLOSES and stack:
            token.partner = stack.pop()
            tokens[token.partner].partner = i
        token.depth = depth
        depth -= token.kind == "sign" and token.text == "}"
    return tokens


def is_operand_end(token):
    """Can an operand end here, so that a sign after it is binary?"""
    if token.kind == "word":
        return token.text not in NO_OPERAND
    return token.kind in ("number", "float", "text") or token.text in ")]"


class Finder:
    def __init__(self, file, text):
        self.file = file
        self.text = text
        self.tokens = tokens_of(text)
        self.found = []

    def add(self, first, last, new, kind):
        start = self.tokens[first].start
        end = self.tokens[last].end
        self.found.append(
            Mutant(self.file, self.text, start, end, new, kind))

    def span(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def sign_at(self, i):
        """The sign with this index, or an empty string."""
        if 0 <= i < len(self.tokens) and self.tokens[i].kind == "sign":
            return self.tokens[i].text
        return ""

    def end_of(self, i, stops):
        """The index before the next of the stops at this level."""
        while i < len(self.tokens):
            sign = self.sign_at(i)
            if sign in stops or sign in CLOSES:
                return i - 1
            partner = self.tokens[i].partner
            i = (partner if sign in OPENS and partner else i) + 1
        return i - 1

    def start_of(self, i, stops):
        while i >= 0:
            sign = self.sign_at(i)
            if (sign in stops or sign in OPENS
                    or self.tokens[i].text in NO_OPERAND):
                return i + 1
            partner = self.tokens[i].partner
            i = (partner if sign in CLOSES and partner is not None else i) - 1
        return 0

    def begins_statement(self, i):
        before = self.tokens[i - 1]
        if before.kind == "word":
            return before.text in ("else", "do")
        if before.text == ")" and before.partner:
            return self.tokens[before.partner - 1].text in (
                "if", "for", "while", "switch")
        return before.text in (";", "{", "}", ":")

    def is_declaration(self, i):
        first, second = self.tokens[i], self.tokens[i + 1]
        if first.text in TYPES or first.text.endswith("_t"):
            return True
        return first.kind == "word" and second.kind == "word"

    def statements(self):
        """(first, last) of statements that compute, without declarations."""
        for i in range(1, len(self.tokens) - 1):
            token = self.tokens[i]
            if (token.depth == 0 or token.text in NO_STATEMENT
                    or token.text in ("{", "}", ";")
                    or not self.begins_statement(i)
                    or self.is_declaration(i)):
                continue
            end = self.end_of(i, (";",))
            if self.sign_at(end + 1) == ";":
                yield i, end + 1

    def drop_statements(self):
        for first, last in self.statements():
            inside = self.tokens[first:last]
            if self.span(first, last).startswith("(void)"):
                continue
            if (inside[0].text in ("break", "continue")
                    or any(t.text.endswith("=") or t.text in ("(", "++", "--")
                           for t in inside if t.kind == "sign")):
                self.add(first, last, ";", "drop")

    def swap_signs(self):
        for i in range(1, len(self.tokens) - 1):
            token = self.tokens[i]
            if (token.kind != "sign" or token.text not in SWAPS
                    or token.depth == 0):
                continue
            if (token.text in UNARY_TOO
                    and not is_operand_end(self.tokens[i - 1])):
                continue
            if token.text == "&" and self.tokens[i - 1].text == ")" and (
                    self.tokens[i + 1].kind == "word"
                    and self.is_cast(i - 1)):
                continue
            new, kind = SWAPS[token.text]
            self.add(i, i, new, kind)

    def is_cast(self, i):
        words = self.tokens[(self.tokens[i].partner or 0) + 1:i]
        return bool(words) and (
            words[0].text in TYPES or words[0].text.endswith("_t"))

    def change_conditions(self):
        for i, token in enumerate(self.tokens[:-1]):
            if token.text == "!" and self.tokens[i + 1].text != "!":
                if token.depth:
                    self.add(i, i, "", "negation")
            if token.text != "if" or not self.tokens[i + 1].partner:
                continue
            first, last = i + 2, self.tokens[i + 1].partner - 1
            condition = self.span(first, last)
            self.add(first, last, "!(%s)" % condition, "condition")
            self.add(first, last, "0 && (%s)" % condition, "check")
            self.add(first, last, "1 || (%s)" % condition, "check")

    def drop_terms(self):
        """One of the terms of && and ||, one of the flags of |."""
        stops = {
            "&&": ("&&", "||", "?", ":", ",", ";", "="),
            "||": ("||", "?", ":", ",", ";", "="),
            "|": ("|", "&&", "||", "^", "?", ":", ",", ";", "=", "|=", "==",
                  "!="),
        }
        for i, token in enumerate(self.tokens):
            if (token.kind != "sign" or token.text not in stops
                    or token.depth == 0):
                continue
            kind = "flag" if token.text == "|" else "term"
            last = self.end_of(i + 1, stops[token.text])
            first = self.start_of(i - 1, stops[token.text])
            self.add(i, last, "", kind)
            self.add(first, i, "", kind)

    def change_results(self):
        for i, token in enumerate(self.tokens[:-1]):
            if token.text != "return" or self.sign_at(i + 1) == ";":
                continue
            last = self.end_of(i + 1, (";",))
            value = self.span(i + 1, last)
            if not re.fullmatch(r"true|false|NULL|0", value):
                self.add(i + 1, last, "0", "result")
                if last > i + 1:
                    self.add(i + 1, last, "!(%s)" % value, "result")

    def change_constants(self):
        declaring = False
        for i, token in enumerate(self.tokens[:-1]):
            if token.depth == 0:
                continue
            if i and self.begins_statement(i):
                declaring = self.is_declaration(i)
            if token.text in ("true", "false"):
                new = "false" if token.text == "true" else "true"
                self.add(i, i, new, "truth")
            if token.kind != "number" or (
                    declaring and self.sign_at(i - 1) == "["):
                continue
            # (n + 1) keeps base and suffix.
            self.add(i, i, "(%s + 1)" % token.text, "constant")
            if re.search("[1-9a-fA-F]", token.text):
                self.add(i, i, "(%s - 1)" % token.text, "constant")


def find(file, text):
    """All mutants of a file's text, in no order that matters."""
    finder = Finder(file, text)
    finder.drop_statements()
    finder.swap_signs()
    finder.change_conditions()
    finder.drop_terms()
    finder.change_results()
    finder.change_constants()
    return finder.found


def sample(mutants, count, seed):
    """This number of them: lines first, then kinds of change, are drawn evenly.

    The order comes from hashes of the seed and of the text, so it is the same
    everywhere, and lines that change elsewhere hardly disturb it.
    """
    def key(mutant, *more):
        return hashed("\n".join((str(seed), mutant.identity()) + more))

    lines = {}
    for mutant in sorted(mutants, key=key):
        kinds = lines.setdefault((mutant.file, mutant.line), {})
        kinds.setdefault(mutant.kind, []).append(mutant)
    rounds = {}
    for kinds in lines.values():
        turn = 0
        while kinds:
            kind = min(kinds, key=lambda k: key(kinds[k][0], k))
            rounds.setdefault(turn, []).append(kinds[kind].pop(0))
            if not kinds[kind]:
                del kinds[kind]
            turn += 1
    chosen = []
    for turn in sorted(rounds):
        chosen += sorted(rounds[turn], key=key)
    return chosen[:count]
