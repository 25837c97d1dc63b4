"""What a text of a language model marks as thought, and which actions it says in words.

An action counts only as a whole clause: `I call.`, `Action: raise to 12`, `FOLD` on its own line.
What is asked, denied, possible or said of others is none.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_SENTENCE: Final = re.compile(r"(?:[^.!?;\n]|\.(?=\d))+[.!?;]*")
_CLAUSE: Final = re.compile(r"(?:(?!,|\bbecause\b|\bsince\b|\bas\b).)+", re.IGNORECASE)
_LONGEST_CLAUSE: Final = 100
_FURTHEST: Final = 240  # characters of a sentence before a clause that counts
_UNSURE: Final = re.compile(
    r"\b(?:if|unless|when|whenever|suppose|assuming|otherwise|maybe|perhaps|thinks?|says?|said"
    r"|believes?|expects?|could|should|would|might|either|not|never)\b|\"",
    re.IGNORECASE,
)
_UNSURE_AFTER: Final = re.compile(
    r"\W{0,9}(?:if|unless|or|only|when|otherwise|provided|maybe|perhaps)\b", re.IGNORECASE
)
_LABEL: Final = (
    r"(?:my |the )?(?P<final>final(?:ly)?)? ?"
    r"(?:action|answer|decision|move|play|choice)? ?(?:is|:|=|->|=>) ?(?:to |i )?"
)
_PERSON: Final = (
    r"(?:i|i'll|i will|let's|let me|i am going to|i'm going to|i choose(?: to)?"
    r"|i decided? to|i(?:'ll| will)? go with|i(?:'ll| will)? go|i'm going) (?:a )?"
)
_LABELLED: Final = re.compile(
    r"(?:^|\s)(?:final|action|answer|decision|move|play|choice)\s?:\Z", re.IGNORECASE
)
_MARKUP: Final = str.maketrans("*_`#>", "     ")
_TYPOGRAPHY: Final = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\",,")
"""Typographic quotes and dashes as plain quotes and commas."""


def folded(text: str) -> str:
    """Return a name with neither case nor kind of separator.

    >>> folded("All-In") == folded("all_in")
    True
    """
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())


def plain(text: str) -> str:
    """Return a text with simple quotes, and commas for dashes; all keeps its position."""
    return text.translate(_TYPOGRAPHY)


class Said(NamedTuple):
    """An action that words give as the decision."""

    word: str
    amount: float | None
    start: int
    end: int
    is_final: bool  # whether the words say so

    @property
    def name(self) -> str:
        what = self.word if self.amount is None else f"{self.word} {self.amount}"
        return f"{what} in words at character {self.start}"

    def moved(self, by: int) -> "Said":
        """Return it in a text that begins so many characters earlier."""
        return self._replace(start=self.start + by, end=self.end + by)


def said_in(text: str, words: tuple[str, ...]) -> list[Said]:
    """Return the actions that a plain text gives as decisions, in its order."""
    said: list[Said] = []
    if not words:
        return said
    pattern = _pattern(words)
    by_name = {folded(word): word for word in words}
    bare = text.translate(_MARKUP)
    line, line_before = "", ""
    for sentence in _SENTENCE.finditer(bare):
        content = sentence[0].rstrip(".!;")
        if content.strip():
            line_before, line = line, content.strip()
        for clause in _CLAUSE.finditer(content) if "?" not in sentence[0] else ():
            words_of_clause = " ".join(clause[0].split())
            if len(words_of_clause) > _LONGEST_CLAUSE or clause.start() > _FURTHEST:
                continue
            match = pattern.fullmatch(words_of_clause)
            if not match or (
                match["bare"] is not None and not _is_bare(bare, sentence, clause, line_before)
            ):
                continue
            if _UNSURE.search(content, 0, clause.start()):
                continue
            if _UNSURE_AFTER.match(content, clause.end()):
                continue
            word = by_name[folded(match["word"])]
            digits = match["amount"]
            if word == "raise" and match["to"] != "to":  # by how much, or to how much?
                digits = None
            start = sentence.start() + clause.start()
            said.append(
                Said(
                    word,
                    None if digits is None else float(digits) if "." in digits else int(digits),
                    start + len(clause[0]) - len(clause[0].lstrip()),
                    start + len(clause[0].rstrip()),
                    bool(match["final"])
                    or (match["bare"] is not None and "final" in line_before.casefold()),
                )
            )
    return said


def _is_bare(text: str, sentence: re.Match[str], clause: re.Match[str], line_before: str) -> bool:
    """Return whether a clause without a verb is a whole line that follows no list's heading."""
    first = text.rfind("\n", 0, sentence.start()) + 1
    last = text.find("\n", sentence.end())
    line = text[first : last if last >= 0 else len(text)].strip(" \t\r.!;")
    is_listed = line_before.endswith(":") and not _LABELLED.search(line_before)
    return line == clause[0].strip() and not is_listed


@lru_cache(64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(
        "[ _-]?".join(map(re.escape, folded(word).split()))
        for word in sorted(words, key=len, reverse=True)
    )
    return re.compile(
        r"(?:(?:but|so|and|then|therefore|thus|hence|okay|ok|well|now|here|instead|yes) )*"
        rf"(?:{_LABEL}|{_PERSON}|(?P<bare>))[\"'(\[]?(?P<word>{names})[\"')\]]?"
        r"(?:(?: |(?= ?:))(?:(?P<to>to|of|:) )?\$?(?P<amount>\d{1,15}(?:\.\d{1,6})?)(?: chips)?)?"
        r"(?: here| now)?",
        re.IGNORECASE,
    )


def mentioned_in(text: str, words: tuple[str, ...]) -> list[str]:
    """Return the actions that a text names anyhow."""
    content = folded(text)
    return [word for word in words if re.search(rf"\b{re.escape(folded(word))}\b", content)]


_TAG: Final = re.compile(
    r"[<◁] ?(/?) ?(think(?:ing)?|thoughts?|reasoning|reflection|scratch_?pad|analysis)\b"
    r"[^<>◁▷{}\n]{0,60}[>▷]|\[(/?)(THINK)\]",
    re.IGNORECASE,
)


class Marked(NamedTuple):
    """A text whose thoughts are known."""

    visible: str  # the text with spaces for its thoughts, so that all else keeps its position
    thoughts: str
    unclosed: str  # `<think> at character 7`, where all behind it is thought; otherwise ""
    at: int  # the position of that tag


def without_thoughts(text: str) -> Marked:
    """Find what is marked as thought, also before a closing tag without an opening one."""
    opened: list[tuple[str, int, str]] = []
    counts: dict[str, int] = {}
    spans: list[tuple[int, int]] = []
    for tag in _TAG.finditer(text):
        name = (tag[2] or tag[4]).lower()
        if not (tag[1] or tag[3]):
            opened.append((name, tag.start(), tag[0]))
            counts[name] = counts.get(name, 0) + 1
        elif counts.get(name):
            closed, start = "", 0
            while closed != name:
                closed, start, _ = opened.pop()
                counts[closed] -= 1
            if not opened:
                spans.append((start, tag.end()))
        elif not opened:
            spans = [(0, tag.end())]
    unclosed, at = "", 0
    if opened:
        _, at, shown = opened[0]
        unclosed = f"{shown} at character {at}"
        spans.append((at, len(text)))
    pieces, position = [], 0
    for start, end in spans:
        pieces += [text[position:start], "\n" + " " * (end - start - 1)]
        position = end
    thoughts = "\n".join(_TAG.sub("", text[start:end]).strip() for start, end in spans)
    return Marked("".join([*pieces, text[position:]]), thoughts, unclosed, at)
