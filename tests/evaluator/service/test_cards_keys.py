"""Whose a request is: keys of the settings, and anonymous ones."""

import pytest
from casino_agentkit import InvalidSettings
from casino_evaluator.errors import RequestRefused
from casino_evaluator.service.api_keys import PER_ADDRESS, Keys
from casino_evaluator.service.scorecards import Cards
from casino_evaluator.settings import EvaluatorSettings
from casino_evaluator.store.evaluator_keys import KeyRows
from casino_evaluator.store.scorecard_rows import CardStore, SessionRows
from casino_storage.sqlite_file import SqliteFile
from pydantic import SecretStr

KEY = "a-key-of-the-operator"


@pytest.fixture
def rows(database: SqliteFile) -> KeyRows:
    return KeyRows(database)


async def test_configured_and_anonymous_keys_are_kept_apart(rows: KeyRows) -> None:
    """Each has an id of its own, from which the key cannot be read."""
    keys = Keys(rows, [SecretStr(KEY)])
    mine, other = await keys.anonymous("192.0.2.1"), await keys.anonymous("192.0.2.1")
    ids = [keys.who(key) for key in (KEY, mine, other)]
    assert len({*ids, None}) == 4
    assert [keys.is_configured(key) for key in (KEY, mine, "no")] == [True, False, False]
    assert keys.has_configured
    for wrong in (None, "", "no", KEY[:-1], KEY + " ", "x" * 100_000, "\udcff"):
        assert keys.who(wrong) is None
    assert KEY not in str(ids)


async def test_anonymous_keys_last_and_can_be_refused(rows: KeyRows) -> None:
    """After a restart they are those that were given; without them, only the settings' are."""
    key = await Keys(rows).anonymous("192.0.2.1")
    again = Keys(rows)
    assert again.who(key) is None
    await again.start()
    assert again.who(key) is not None
    without = Keys(rows, [SecretStr(KEY)], anonymous=False)
    await without.start()
    assert without.who(key) is None
    with pytest.raises(RequestRefused, match="no anonymous keys") as refusal:
        await without.anonymous("192.0.2.1")
    assert refusal.value.status == 404


async def test_anonymous_keys_are_bounded(database: SqliteFile, rows: KeyRows) -> None:
    """Per address, and in total: the oldest goes that has no open scorecard."""
    now = [0.0]
    keys = Keys(rows, most=PER_ADDRESS, clock=lambda: now[0])
    cards = Cards(CardStore(database), SessionRows(database), {})
    given = [await keys.anonymous("192.0.2.1") for _ in range(PER_ADDRESS)]
    with pytest.raises(RequestRefused, match="enough keys") as refusal:
        await keys.anonymous("192.0.2.1")
    assert (refusal.value.status, refusal.value.code) == (429, "RATE_LIMIT_EXCEEDED")
    ids = [keys.who(key) or "" for key in given]
    open_cards = [await cards.open(key) for key in ids[1:]]
    closed = await cards.open(ids[0])
    await cards.close(ids[0], closed)
    await keys.anonymous("192.0.2.2")
    assert keys.who(given[0]) is None
    assert await CardStore(database).get(closed) is None
    newest = await keys.anonymous("192.0.2.2")  # in the place of the one before, which is idle
    await cards.open(keys.who(newest) or "")
    with pytest.raises(RequestRefused, match="all anonymous keys are in use") as refusal:
        await keys.anonymous("192.0.2.2")
    assert refusal.value.status == 503
    await cards.close(ids[5], open_cards[4])
    now[0] += 180
    await keys.anonymous("192.0.2.1")
    assert [keys.who(key) is None for key in given] == [True, *[False] * 4, True, *[False] * 14]
    assert len(await rows.all()) == PER_ADDRESS


def test_keys_are_a_setting() -> None:
    """Separated by commas; a short one is refused, and none is printed."""
    settings = EvaluatorSettings.load({"CASINO_EVALUATOR_API_KEYS": f"{KEY}, {KEY}-2,"})
    assert [key.get_secret_value() for key in settings.api_keys] == [KEY, f"{KEY}-2"]
    assert KEY not in repr(settings)
    with pytest.raises(InvalidSettings, match="API_KEYS") as refusal:
        EvaluatorSettings.load({"CASINO_EVALUATOR_API_KEYS": f"{KEY},too-short"})
    assert "too-short" not in str(refusal.value)
