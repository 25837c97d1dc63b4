r"""Read the one answer in a text as language models write it; what is uncertain is refused.

An answer is a JSON object, bare, fenced, inside a JSON string or the arguments of a tool call.
Thoughts, templates, examples, drafts and possibilities are none. Of several answers that differ,
the last counts if the text says that it is final: `Final: {…}`, the only fence, a line of its own
at the end. Otherwise, and if words after it take it back or decide differently, nothing is chosen.
Where no object stands, an action that is said as the decision may count: `I call.`
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final, Generic, NamedTuple, TypeGuard, TypeVar

from casino_agentkit.json_in_text import (
    LONGEST_TEXT,
    Found,
    decoded,
    objects_in,
    outside_strings,
)
from casino_agentkit.said_in_words import (
    announced,
    continues_list,
    folded,
    is_final,
    is_hedged,
    is_next,
    mentioned_in,
    plain,
    said_in,
    taken_back,
    without_thoughts,
)

T = TypeVar("T")
Json = dict[str, Any]

_MOST_OBJECTS: Final = 256
_PROSE: Final = 8_192  # characters in which actions in words are searched
_SHOWN: Final = 4  # possible answers in an error
_DEEPEST: Final = 4  # levels of wrappers
_NAMES: Final = ("action", "action_type", "type")
"""Fields that may name the action, the usual one first."""
_WRAPPERS: Final = (
    *("action", "answer", "final_answer", "final", "output", "result", "response", "decision"),
    *("move", "arguments", "args", "input", "action_input", "parameters", "function"),
    *("function_call", "tool_call", "tool_calls"),
)
"""Fields in which models put the answer, as an object or as a string of one."""


@dataclass(frozen=True)
class Sought(Generic[T]):
    """What counts as an answer."""

    fit: Callable[[Json], T]
    """Returns the value of an object; raises ValueError with the reason if it is no answer."""
    decided: Callable[[T], Json]
    """Returns the part of a value in which answers must not differ."""
    fields: frozenset[str] = frozenset({"action", "action_type"})
    """An object with one of them, or in it, is meant as an answer."""
    words: tuple[str, ...] = ()
    """The names of actions, such as `call`."""
    reads_words: bool = False
    """Whether an action that is said in words counts."""


@dataclass(frozen=True)
class TextAnswer(Generic[T]):
    """The answer and the positions of its first character and after its last one."""

    value: T
    document: Json = field(repr=False)  # the object as it stands in the text, {} if words said it
    start: int
    end: int
    thoughts: str = field(default="", repr=False)  # what is marked as thought, such as by `<think>`


@dataclass(frozen=True)
class Unread:
    """Why a text has no answer that counts, and the position of the fault."""

    message: str
    place: int = 0
    document: Json | None = field(default=None, repr=False)  # the object that is no valid answer
    is_attempt: bool = True  # whether the text has an object at all


def read_answer(
    text: str, sought: Sought[T], longest: int = LONGEST_TEXT
) -> TextAnswer[T] | Unread:
    """Return the one answer in a text."""
    if len(text) > longest:
        return Unread(f"the text is longer than {longest} characters", longest)
    marked = without_thoughts(text)
    whole = decoded(text)
    found = [Found(len(text) - len(text.lstrip()), len(text.rstrip()), whole)] if whole else []
    prose = plain(text if whole else marked.visible)
    key = _key_pattern(sought.fields)
    try:
        found = found or list(islice(objects_in(marked.visible, key), _MOST_OBJECTS + 1))
    except ValueError as error:
        return Unread(str(error))
    if len(found) > _MOST_OBJECTS:
        return Unread(f"the text has more than {_MOST_OBJECTS} objects", found[-1].start)
    tries: list[_Try] = []
    for one in found:
        judged = _judged(prose, one, sought, key)
        if tries and tries[-1].is_denied and continues_list(prose, tries[-1].found, one):
            judged = judged._replace(is_meant=False)
        tries.append(judged)
    reading = _chosen(prose, tries, sought)
    if isinstance(reading, TextAnswer):
        return replace(reading, thoughts=marked.thoughts)
    if marked.unclosed and not reading.is_attempt:
        message = f"{marked.unclosed} is not closed, so that all behind it is thought"
        return Unread(message, marked.at, is_attempt=False)
    return reading


class _Try(NamedTuple):
    """An object, and what it says."""

    found: Found
    value: Any = None
    decision: Json | None = None  # None: it is no valid answer
    fault: str = ""
    is_meant: bool = True  # whether it is meant as the answer: no template, example or possibility
    is_stub: bool = False  # whether the text ends in it before it says anything

    @property
    def is_denied(self) -> bool:
        return self.decision is not None and not self.is_meant


def _chosen(text: str, tries: list[_Try], sought: Sought[T]) -> TextAnswer[T] | Unread:
    meant = [one for one in tries if one.is_meant]
    if not meant:
        return _in_words(text, sought) if not tries else _not_meant(text, tries)
    last = meant[-1]
    if last.decision is None:
        return replace(_fault_of(text, last), is_attempt=not last.is_stub or len(meant) > 1)
    other = next((one for one in reversed(meant) if one.decision != last.decision), None)
    if other and not is_final(text, other.found, last.found):
        return _two(_named(other), _named(last), last.found.start)
    start, end = last.found.start, last.found.end
    contradiction = _taken_back(text, end, _named(last)) or _otherwise(text, last, sought.words)
    return contradiction or TextAnswer(last.value, last.found.value or {}, start, end)


def _otherwise(text: str, one: _Try, words: tuple[str, ...]) -> Unread | None:
    """Return where words give another action as the decision: just before, as final, or after."""
    start, end = one.found.start, one.found.end
    head = max(0, start - _PROSE)
    before = [said.moved(head) for said in said_in(text[head:start], words) if not said.is_weak]
    after = [said.moved(end) for said in said_in(text[end : end + _PROSE], words)]
    if not after and (fault := _announced(text, end, _named(one))):
        return fault
    names = set(map(folded, filter(_is_text, (one.decision or {}).values())))
    for said in before + after:
        counts = said.is_final or said.start >= end or is_next(text, said.end, start)
        if counts and folded(said.word) not in names:
            return _two(_named(one), said.name, said.start)
    return None


def _in_words(text: str, sought: Sought[T]) -> TextAnswer[T] | Unread:
    """Return the action that words give as the decision."""
    said = said_in(text, sought.words) if sought.reads_words and len(text) <= _PROSE else []
    strong = [one for one in said if not one.is_weak]
    if not strong:
        named = mentioned_in(text, sought.words)
        undecided = f", and does not decide between {' and '.join(named)}" if named[1:] else ""
        return Unread(f"the text contains no JSON object{undecided}", is_attempt=False)
    last = strong[-1]
    other = next((one for one in said if one[:2] != last[:2]), None)
    if other and not last.is_final:
        return _two(other.name, last.name, last.start)
    fault = _taken_back(text, last.end, last.name) or _announced(text, last.end, last.name)
    if fault:
        return fault
    document: Json = {"action": last.word}
    if last.amount is not None:
        document["amount"] = last.amount
    try:
        return TextAnswer(sought.fit(document), {}, last.start, last.end)
    except ValueError as error:
        return Unread(f"{last.name}: {error}", last.start, document)


def _not_meant(text: str, tries: list[_Try]) -> Unread:
    """Return why there is no answer although there are objects."""
    possible = [one for one in tries if one.decision is not None]
    if not possible:
        return _fault_of(text, tries[-1])
    named = " and ".join(_named(one) for one in possible[:_SHOWN])
    message = f"no decision, only what is possible, an example or said earlier: {named}"
    return Unread(message, possible[0].found.start)


def _taken_back(text: str, end: int, named: str) -> Unread | None:
    if (words := taken_back(text[end:])) is None:
        return None
    place, phrase = end + words.start(), " ".join(words[0].split())
    return Unread(f'{named} is taken back by "{phrase}" at character {place}', place)


def _announced(text: str, end: int, named: str) -> Unread | None:
    if (words := announced(text[end:])) is None:
        return None
    place = end + words.start()
    return _two(named, f'"{words[0]}" at character {place}', place)


def _two(one: str, other: str, place: int) -> Unread:
    message = f"two answers: {one} and {other}, and neither is said to be final"
    return Unread(message, place)


def _fault_of(text: str, one: _Try) -> Unread:
    found = one.found
    if found.value is None:
        return Unread(f"the object at character {found.start} is not JSON: {one.fault}", found.at)
    is_alone = not (text[: found.start] + text[found.end :]).strip()
    where = "" if is_alone else f" (the object at character {found.start})"
    return Unread(f"{one.fault}{where}", found.start, found.value)


def _named(one: _Try) -> str:
    what = _name(one.decision) if one.decision is not None else "an object that cannot be used"
    return f"{what} at character {one.found.start}"


def _name(decision: Json) -> str:
    """Return an action as few words; other parameters may be cards, and are not shown."""
    name = next(filter(_is_text, map(decision.get, _NAMES)), "an object")
    amount = decision.get("amount")
    return f"{name[:40]} {amount}" if isinstance(amount, int | float) else name[:40]


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _judged(text: str, found: Found, sought: Sought[T], key: re.Pattern[str]) -> _Try:
    if found.value is None:
        piece = text[found.start : found.end]
        has_key = bool(key.search(piece))
        is_stub = not has_key and not text[found.end :].strip("`~ \n")
        is_meant = (has_key or is_stub) and not _is_template(piece)
        return _Try(found, fault=found.fault, is_meant=is_meant, is_stub=is_stub)
    fits: list[tuple[T, Json]] = []
    fault = ""
    is_attempt = False
    for variant in variants(found.value):
        is_attempt = is_attempt or _is_attempt(variant, sought)
        try:
            value = sought.fit(variant)
        except ValueError as error:
            fault = fault or str(error)
        else:
            fits.append((value, sought.decided(value)))
    if not fits:
        is_meant = is_attempt and not _is_template(json.dumps(found.value, ensure_ascii=False))
        return _Try(found, fault=fault, is_meant=is_meant)
    value, decision = fits[0]
    for _, other in fits[1:]:
        if other != decision:
            fault = f"two answers in one object: {_name(decision)} and {_name(other)}"
            return _Try(found, fault=fault)
    return _Try(found, value, decision, is_meant=not is_hedged(text, found))


def variants(value: Json, levels: int = _DEEPEST) -> Iterator[Json]:
    """Yield an object, with `type` as its action if it has none, and the objects it wraps."""
    yield value
    if not value.keys() & {"action", "action_type"} and isinstance(value.get("type"), str):
        yield {**value, "action": value["type"]}
    for name in _WRAPPERS if levels else ():
        inner = value.get(name)
        if isinstance(inner, list) and len(inner) == 1:
            inner = inner[0]
        if isinstance(inner, str) and "{" in inner:
            inner = decoded(inner)
        if isinstance(inner, dict):
            yield from variants(inner, levels - 1)


def _is_attempt(value: Json, sought: Sought[Any]) -> bool:
    if not sought.fields.isdisjoint(value):
        return True
    words = {folded(word) for word in sought.words}
    return any(isinstance(one, str) and folded(one) in words for one in islice(value.values(), 32))


@lru_cache(64)
def _key_pattern(fields: frozenset[str]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted({*fields, "action_type"})))
    return re.compile(rf"""\b(?:{names})\b\\*["']?\s*:""")


_PLACEHOLDER: Final = re.compile(
    r"\.\.\.|…|<\w|\||:\s*(?:number|int|integer|float|string|str|bool|boolean|amount)\b"
)
_CHOICES: Final = re.compile(
    r'\b(?:action|action_type|type)"\s*:\s*"(?:[^"\n]*(?:\||<|…|\.\.\.|/| or )|one of|your )'
)
_SCHEMA: Final = re.compile(r'"(?:\$schema|properties|enum|anyOf|oneOf)"\s*:')


def _is_template(piece: str) -> bool:
    """Return whether an object only describes answers: `{"action": "fold|call"}`, a schema."""
    found = _PLACEHOLDER.search(outside_strings(piece)), _CHOICES.search(piece)
    return any(found) or bool(_SCHEMA.search(piece))
