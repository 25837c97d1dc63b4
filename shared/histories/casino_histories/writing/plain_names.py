"""Names for formats that have no way to escape: no line of theirs can look like another one."""

import re
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^\w.+-]+")
_UNSAFE_WORDS = re.compile(r"[^\w ,.'-]+")
_LONGEST = 64


def plain_name(name: str) -> str:
    r"""Return a name of letters, digits, `_`, `.`, `+` and `-`; everything else becomes `_`.

    >>> plain_name("Ada: folds\n*** FLOP ***")
    'Ada_folds_FLOP'
    """
    return _UNSAFE.sub("_", name).strip("_")[:_LONGEST] or "player"


def plain_names(names: Iterable[str]) -> list[str]:
    """Return plain names that differ from each other, whatever the case.

    >>> plain_names(["a b", "a_b", "A B"])
    ['a_b', 'a_b-2', 'A_B-3']
    """
    taken: set[str] = set()
    result = []
    for name in map(plain_name, names):
        unique, number = name, 1
        while unique.casefold() in taken:
            number += 1
            unique = f"{name}-{number}"
        taken.add(unique.casefold())
        result.append(unique)
    return result


def plain_words(text: str) -> str:
    """Return words without what could end a line or a bracket."""
    return " ".join(_UNSAFE_WORDS.sub(" ", text).split())[:_LONGEST] or "hand"
