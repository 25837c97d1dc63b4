"""The reference of settings is what the services really read."""

import sys
from pathlib import Path

import pytest
from casino_agentkit import ServiceSettings

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from configuration import SERVICES, page  # noqa: E402  a script, found by its folder


def test_the_page_is_not_stale() -> None:
    """Write it again with `make reference`."""
    assert (ROOT / "docs/reference/configuration.md").read_text() == page()


def test_secrets_are_marked() -> None:
    """Those that may stand in a file."""
    marked = [line.split("`")[1] for line in page().splitlines() if "` 🔑 |" in line]
    assert {"CASINO_LOBBY_OPERATOR_TOKEN", "CASINO_LOBBY_FLEET_KEY"} <= set(marked)
    assert "CASINO_DEALER_OPERATOR_TOKEN" in marked
    assert "CASINO_PLAYER_LLM_API_KEY" in marked
    assert "CASINO_LOBBY_PORT" not in marked


@pytest.mark.parametrize("settings", SERVICES.values())
def test_every_setting_says_what_it_is_for(settings: type[ServiceSettings]) -> None:
    """In a sentence, with a default that works."""
    for name, field in settings.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name
        assert not field.is_required(), name
