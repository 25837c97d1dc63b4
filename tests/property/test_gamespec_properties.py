"""Any text is read as a specification or refused with our error."""

from casino_gamespec import GameSpec, GameSpecError
from hypothesis import given, settings
from hypothesis import strategies as st
from support.specifications import specification

DOCUMENT = specification()
SIGNS = ['"', "{", "}", "[", "]", "\\", "#", "- ", ": ", "&a ", "*a", "\0", "null", "1e999"]
BLOCKS = ["\n```\n", "\n---\n", "\n## State Schema\n", '"$ref": "#",', '"$id": "y",']
SPLICES = st.text(max_size=20) | st.sampled_from([*SIGNS, *BLOCKS])
MUTATIONS = st.lists(
    st.tuples(st.integers(0, len(DOCUMENT)), st.integers(0, 60), SPLICES), min_size=1, max_size=6
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=150)
@given(MUTATIONS, JSON)
def test_a_mangled_document_is_read_or_refused(
    mutations: list[tuple[int, int, str]], message: object
) -> None:
    text = DOCUMENT
    for start, length, splice in mutations:
        text = text[:start] + splice + text[start + length :]
    try:
        spec = GameSpec.parse(text)
    except GameSpecError:
        return
    assert len(spec.check_state(message)) <= 21
    assert len(spec.check_action(message)) <= 21
