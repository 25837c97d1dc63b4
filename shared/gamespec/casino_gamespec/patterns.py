"""Refuse regular expressions of untrusted schemas that could run too long.

Python's engine backtracks: `(a+)+$` takes years on thirty letters. So a pattern is only run if a
rough upper bound of its steps is small, and only on short texts.
"""

import re

LONGEST_TEXT = 256
"""Maximum length of a text to match; longer texts fail the pattern."""

_LONGEST_PATTERN = 256
_MOST_STEPS = 5e7
_NESTED_REPEAT = "it repeats a group with a repetition or alternative, which may not terminate"
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?[:=!]|\?<[=!])?|\)|\|"
    r"|(?P<repeat>[*+?]|\{\d+(?:,\d*)?\})\??|.",
    re.DOTALL,
)


def fault_of(pattern: str) -> str | None:
    """Return why a pattern is refused, None if it is accepted.

    >>> fault_of("^[2-9TJQKA][shdc]$")
    >>> fault_of("(a+)+$")
    'it repeats a group with a repetition or alternative, which may not terminate'
    """
    if len(pattern) > _LONGEST_PATTERN:
        return f"it is longer than {_LONGEST_PATTERN} characters"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"it cannot be parsed: {error}"
    return _fault_of_repeats(pattern)


def _fault_of_repeats(pattern: str) -> str | None:
    steps = 1.0
    open_groups: list[bool] = [False]  # whether each has a repetition or alternative
    closed: bool | None = None  # the same for a group that just ended
    for token in _TOKEN.finditer(pattern):
        repeat = token["repeat"]
        if repeat is not None:
            times = _times(repeat)
            if closed and times > 2:  # noqa: PLR2004  a `?` does not repeat
                return _NESTED_REPEAT
            steps *= times
            open_groups[-1] = True
            closed = None
            continue
        closed = None
        text = token[0]
        if text.startswith("("):
            open_groups.append(False)
        elif text == ")":
            closed = open_groups.pop()
            open_groups[-1] |= closed
        elif text == "|":
            open_groups[-1] = True
            steps *= 2
        elif re.fullmatch(r"\\[1-9]", text):
            return "it has a back-reference, which may not terminate"
    return "it may take too many steps" if steps > _MOST_STEPS else None


def _times(repeat: str) -> int:
    """Return in how many ways a quantifier can match."""
    if repeat == "?":
        return 2
    if repeat in "*+":
        return LONGEST_TEXT
    least, comma, most = repeat.strip("{}").partition(",")
    if not comma:
        return max(1, int(least))
    return min(LONGEST_TEXT, int(most)) + 1 if most else LONGEST_TEXT
