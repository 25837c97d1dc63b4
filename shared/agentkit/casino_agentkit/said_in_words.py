"""What a text of a language model marks as thought, and which actions it says in words.

An action counts only as a whole clause: `I call.`, `Action: raise to 12`, `FOLD` on its own line.
What is asked, denied, possible or said of others is none.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from casino_agentkit.json_in_text import FENCE, Found

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
_MARKUP: Final = str.maketrans("*_`#>~]{}", "         ")
_XML: Final = re.compile(r"</?\w{1,20}>")
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
    is_weak: bool  # whether it is a sentence of the action alone, not on its own line

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
    bare = _XML.sub(lambda tag: " " * len(tag[0]), text).translate(_MARKUP)
    line, line_before = "", ""
    is_list = False
    for sentence in _SENTENCE.finditer(bare):
        content = sentence[0].rstrip(".!;")
        if content.strip():
            line_before, line = line, content.strip()
            is_list = is_list or (line_before.endswith(":") and not _LABELLED.search(line_before))
            is_list = is_list and bool(pattern.fullmatch(" ".join(line.split())[:_LONGEST_CLAUSE]))
        for clause in _CLAUSE.finditer(content) if "?" not in sentence[0] else ():
            match = _decision(pattern, content, clause)
            is_bare = match is not None and match["bare"] is not None
            word = by_name.get(folded(match["word"])) if match else None
            if match is None or word is None:
                continue  # none, or written with a letter that only resembles its own
            if is_bare and (is_list or clause[0].strip() != content.strip()):
                continue
            start = sentence.start() + clause.start()
            end = start + len(clause[0])
            if folded(word) not in folded(text[start:end]):
                continue  # markup inside it
            said.append(
                Said(
                    word,
                    _amount(match),
                    start + len(clause[0]) - len(clause[0].lstrip()),
                    end - len(clause[0]) + len(clause[0].rstrip()),
                    bool(match["final"]) or (is_bare and "final" in line_before.casefold()),
                    is_bare and not _is_line(bare, sentence, clause),
                )
            )
    return said


def _decision(
    pattern: re.Pattern[str], sentence: str, clause: re.Match[str]
) -> re.Match[str] | None:
    """Return the match of a clause that gives an action without doubt."""
    content = " ".join(clause[0].split())
    if len(content) > _LONGEST_CLAUSE or clause.start() > _FURTHEST:
        return None
    match = pattern.fullmatch(content)
    if match is None or _UNSURE.search(sentence, 0, clause.start()):
        return None
    return None if _UNSURE_AFTER.match(sentence, clause.end()) else match


def _amount(match: re.Match[str]) -> float | None:
    digits = match["amount"]
    if digits is None or (folded(match["word"]) == "raise" and match["to"] != "to"):
        return None  # a raise by how much, or to how much?
    return float(digits) if "." in digits else int(digits)


def _is_line(text: str, sentence: re.Match[str], clause: re.Match[str]) -> bool:
    first = text.rfind("\n", 0, sentence.start()) + 1
    last = text.find("\n", sentence.end())
    last = last if last >= 0 else len(text)
    is_short = last - first <= _FURTHEST
    return is_short and text[first:last].strip(" \t\r.!;") == clause[0].strip()


@lru_cache(64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(
        "[ _-]".join(map(re.escape, folded(word).split()))
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


_LEAD: Final = 240  # characters before an object in which it is introduced
_OPENED: Final = re.compile(r"(?:`{1,3}\w*|~~~\w*|[\s*_>\"'“(\[<])*$")
_LABEL_END: Final = re.compile(r"[\s:,*_=>-]+$")
_BREAK: Final = re.compile(r"[.!?;\n](?!\d)")
_NOT_MEANT: Final = re.compile(
    r"\b(?:draft|example|for instance|such as|could|might|would have|wanted|consider\w*"
    r"|not|never|instead of|than|without|reject\w*|discard\w*|maybe|perhaps|was|were"
    r"|previous\w*|earlier|originally|initially|illegal|if|unless|when|suppose|assuming)\b"
    r"|n't\b|\boption\s+(?:[a-e]|\d+|one|two|three)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\W*(?:if|unless|when|whenever|suppose|assuming|were|had)\b", re.IGNORECASE
)
_SO: Final = re.compile(r"\W*(?:so|but|then|therefore|thus|hence|now|here)\b", re.IGNORECASE)
_OR: Final = re.compile(
    r"\W*(?:or|and/or|and|also|alternatively|otherwise|else|versus|vs)\b", re.IGNORECASE
)
_LONGEST_GAP: Final = 40
_LISTED: Final = re.compile(r"[ \t`\"'*]*(?:[,;]\s*)?(?:\s*(?:or|and|and/or)\s)?[ \t`\"'*]*")
_BELITTLED: Final = re.compile(
    r"[\s`\"'*]*(?:would|could|might|was|is(?:n't| not| too| wrong| bad| worse| risky| illegal))\b",
    re.IGNORECASE,
)
_STRONG: Final = re.compile(
    r"\b(?:final(?:ly)?|answer|decision|decided?|reply|respon(?:se|d)|conclusion|revised"
    r"|correct(?:ed|ion)|instead|chosen|choose|choice|go with|going with|settle|output)\b",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(
    r"\W*(?:but|however|so|thus|therefore|hence|now|actually)\b", re.IGNORECASE
)
_ANNOUNCED: Final = re.compile(
    r"\b(?:final|my|new|correct(?:ed)?|revised) (?:answer|action|decision|choice|move) ?(?:is\b|:)"
    r"|\bfinal(?:ly)? ?:",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(
    r"(?:[\s`\"',.!}\]~]|</?\w{1,20}>){0,9}(?:or|alternatively)\b", re.IGNORECASE
)
_RETRACTION: Final = re.compile(
    r"(?:^|[.!?\n,-] ?)(?:hm{1,5},? )?(?:no|nope|oh)?[,.]? ?(?:wait|hold on) ?[,.:!-]"
    r"|\b(?:on second thoughts?|scratch that|changed my mind|ignore (?:that|the above|my)"
    r"|let me (?:re-?think|reconsider)|never ?mind|oops|my mistake|disregard"
    r"|actually,? no|correction)\b",
    re.IGNORECASE,
)


def _lead(text: str, start: int) -> str:
    """Return what introduces an object: the sentence, or the line before it, up to the object."""
    before = text[max(0, start - _LEAD) : start]
    before = before[: _OPENED.search(before).start()]  # type: ignore[union-attr]  # may be empty
    label = _LABEL_END.sub("", before.replace("e.g.", "for example"))
    return _BREAK.split(label)[-1]


def is_hedged(text: str, found: Found) -> bool:
    """Return whether an object is an example, a draft or a possibility, or is denied."""
    if _BELITTLED.match(text, found.end):
        return True
    lead = _lead(text, found.start)
    clause = re.split(r"[,:]", lead)[-1]
    if _CONDITION.match(lead) and not _SO.match(clause):
        return True
    return bool(_NOT_MEANT.search(clause)) and not _SO.match(clause)


def continues_list(text: str, other: Found, found: Found) -> bool:
    """Return whether only a comma, `or` or `and` is between two objects."""
    gap = text[other.end : found.start]
    return len(gap) <= _LONGEST_GAP and bool(_LISTED.fullmatch(gap))


def taken_back(tail: str) -> re.Match[str] | None:
    """Return the words behind an answer that take it back."""
    return _RETRACTION.search(tail) or _OTHERWISE.match(tail)


def announced(tail: str) -> re.Match[str] | None:
    """Return the words behind an answer that announce another one."""
    return _ANNOUNCED.search(tail)


def is_final(text: str, other: Found, last: Found) -> bool:
    """Return whether the last of two answers is said to be the one that counts."""
    gap = text[other.end : last.start]
    lead = _lead(text, last.start)[-len(gap) :] if gap else ""
    if _OR.match(lead):
        return False
    is_end = not text[last.end :].strip("`*_ \t\r\n")
    has_break = bool(_BREAK.search(gap) or re.search(r"[,:]", gap))
    clause = re.split(r"[,:]", lead)[-1] if "\n" not in gap else lead
    if has_break and (_STRONG.search(clause) or "<answer>" in gap.lower()):
        return True
    if is_end and has_break and (_WEAK.match(clause) or _WEAK.match(lead)):
        return True
    fences = text.count(FENCE, 0, last.start) % 2, text.count(FENCE, 0, other.start) % 2
    if fences == (1, 0) and not lead.rstrip().endswith(("or", "and")):
        return True
    return is_end and _is_own_line(text, last) and not _is_own_line(text, other)


def is_next(text: str, end: int, start: int) -> bool:
    """Return whether no words stand between two positions but the language of a fence."""
    gap = text[end:start]
    return len(gap) <= _LONGEST_GAP and not re.search(r"\w", gap.replace("json", ""))


def _is_own_line(text: str, found: Found) -> bool:
    """Return whether nothing else stands on the lines of an object."""
    first = text.rfind("\n", 0, found.start) + 1
    after = text.find("\n", found.end)
    rest = text[found.end : after if after >= 0 else len(text)]
    return not (text[first : found.start] + rest).strip("`*_ \t\r")
