"""What is the operator's is opened by the key, and by nothing else."""

import pytest
from casino_agentkit import InvalidSettings
from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.errors import NotAdmitted
from casino_lobby.settings import LobbySettings

TOKEN = "CASINO_LOBBY_OPERATOR_TOKEN"


KEY = "open-sesame"
WRONG = ["", "open-sesam", "open-sesame2", "OPEN-SESAME", "None", "é", "\ud800", "x" * 10_000]


class TestToken:
    @pytest.mark.parametrize("given", ["Bearer sesame", "bearer sesame", "Bearer  sesame "])
    def test_a_bearers_token_is_found(self, given: str) -> None:
        assert bearer_token(given) == "sesame"

    @pytest.mark.parametrize("given", [None, "", "sesame", "Bearer", "Bearer ", "Basic sesame"])
    def test_anything_else_holds_none(self, given: str | None) -> None:
        assert bearer_token(given) == ""


class TestWithKey:
    """A lobby that has an operator."""

    def test_the_key_opens_everything(self) -> None:
        operator = Operator(KEY, reads_too=True)
        operator.admit(KEY)
        operator.admit_reader(KEY)
        operator.admit_to_all_cards(KEY)

    @pytest.mark.parametrize("token", WRONG)
    def test_nothing_else_does(self, token: str) -> None:
        operator = Operator(KEY, reads_too=True)
        for admit in (operator.admit, operator.admit_reader, operator.admit_to_all_cards):
            with pytest.raises(NotAdmitted, match="Authorization: Bearer") as refused:
                admit(token)
            assert refused.value.reason == "UNAUTHORIZED"

    def test_reading_is_free_unless_it_is_the_operators(self) -> None:
        Operator(KEY).admit_reader("")


class TestWithoutKey:
    """A lobby for this machine alone."""

    @pytest.mark.parametrize("token", ["", *WRONG])
    def test_everybody_there_may_command_and_read(self, token: str) -> None:
        Operator(None).admit(token)
        Operator(None).admit_reader(token)
        Operator("").admit(token)

    @pytest.mark.parametrize("token", ["", "None"])
    def test_nobody_sees_hidden_cards(self, token: str) -> None:
        """The answer says which setting would open them."""
        with pytest.raises(NotAdmitted, match=TOKEN) as refused:
            Operator(None).admit_to_all_cards(token)
        assert refused.value.reason == "OPERATOR_ONLY"


def test_the_setting_is_kept_to_itself() -> None:
    """Neither its picture nor a complaint about it shows it."""
    settings = LobbySettings.load({TOKEN: "open-sesame"})
    assert "open-sesame" not in repr(settings)
    with pytest.raises(InvalidSettings) as refused:
        LobbySettings.load({TOKEN: "short"})
    assert TOKEN in str(refused.value)
    assert "short" not in str(refused.value).replace("at least", "")
