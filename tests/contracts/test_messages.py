"""The rules of single fields: what is accepted, what is refused, and how the fault is named."""

from typing import Any

import casino_contracts
import pytest
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Card,
    ConfigureTableInput,
    CreateRoomInput,
    RegisterPlayerInput,
    SeatPlayerInput,
    SignupResponse,
    TableConfig,
    Unit,
    WireModel,
)
from pydantic import ValidationError

CONFIG = {
    "startingStack": 1000,
    "smallBlind": 5,
    "bigBlind": 10,
    "minBuyIn": 200,
    "maxBuyIn": 2000,
    "maxHands": 50,
    "maxSeats": 6,
}


def faults(model: type[WireModel], data: dict[str, Any]) -> dict[str, str]:
    """Return field → complaint of a message that must be refused."""
    with pytest.raises(ValidationError) as refused:
        model.model_validate(data)
    return {".".join(map(str, error["loc"])): error["msg"] for error in refused.value.errors()}


def test_the_public_face_is_sorted_and_complete() -> None:
    """`__all__` lists exactly what there is."""
    assert all(hasattr(casino_contracts, name) for name in casino_contracts.__all__)
    assert len(set(casino_contracts.__all__)) == len(casino_contracts.__all__)


class TestNumbers:
    """Numbers as JSON has them."""

    @pytest.mark.parametrize(("sent", "read"), [(40, 40), (40.0, 40), (0, 0), (2**53 - 1,) * 2])
    def test_whole_amounts_are_integers(self, sent: float, read: int) -> None:
        """`40.0` means `40`: protobuf and JavaScript send it so."""
        amount = ActionResponse.model_validate({"action": "raise", "amount": sent}).amount
        assert amount == read
        assert type(amount) is int

    def test_fractions_stay(self) -> None:
        """A table with decimal blinds has decimal amounts."""
        assert ActionResponse(action="bet", amount=0.25).amount == 0.25

    @pytest.mark.parametrize(
        "amount", [-1, -0.5, "40", True, float("nan"), float("inf"), 2**53, 1e300, [], {}]
    )
    def test_what_is_no_amount_is_refused(self, amount: object) -> None:
        """Text, booleans, negative and inexact numbers are no amounts; the field is named."""
        assert faults(ActionResponse, {"action": "bet", "amount": amount}) == {
            "amount": f"must be a number of at least 0 and at most {2**53 - 1}"
        }

    @pytest.mark.parametrize("seats", [1, 11, 6.5, "6", True])
    def test_whole_numbers_have_bounds(self, seats: object) -> None:
        """Seats are 2 to 10, and whole."""
        assert faults(TableConfig, {**CONFIG, "maxSeats": seats}) == {
            "maxSeats": "must be a whole number of at least 2 and at most 10"
        }


class TestTableConfig:
    """The config refuses what no table could play, naming the field and the fix."""

    @pytest.mark.parametrize(
        ("change", "field", "complaint"),
        [
            ({"bigBlind": 4}, "bigBlind", "at least smallBlind, 5"),
            ({"maxBuyIn": 100}, "maxBuyIn", "at least minBuyIn, 200"),
            ({"startingStack": 100}, "maxBuyIn", "startingStack 100 must lie between"),
            ({"bigBlind": 1001}, "bigBlind", "at most startingStack, 1000"),
            ({"ante": 1001}, "ante", "at most startingStack, 1000"),
            ({"smallBlind": 0}, "smallBlind", "above 0"),
            ({"smallBlind": 0.0000001}, "smallBlind", "more than 6 decimal places"),
            ({"maxHands": 0}, "maxHands", "above 0"),
            ({"rebuy": "always"}, "rebuy", "'none' or 'auto'"),
            ({"seed": 7}, "seed", "string"),
            ({"actionTimeoutMs": 0}, "actionTimeoutMs", "at least 1"),
        ],
    )
    def test_faults_name_the_field(
        self, change: dict[str, object], field: str, complaint: str
    ) -> None:
        """One fault, one entry."""
        found = faults(TableConfig, {**CONFIG, **change})
        assert list(found) == [field]
        assert complaint in found[field]

    def test_every_fault_is_listed(self) -> None:
        """An operator mends all of it at once."""
        assert set(faults(TableConfig, {"maxSeats": 99})) == {
            "startingStack",
            "smallBlind",
            "bigBlind",
            "minBuyIn",
            "maxBuyIn",
            "maxHands",
            "maxSeats",
        }

    def test_the_public_form_has_no_seed(self) -> None:
        """Whoever knows the seed knows every card."""
        config = TableConfig.model_validate({**CONFIG, "seed": "secret-7"})
        assert config.seed == "secret-7"
        assert "secret-7" not in config.public().model_dump_json()


class TestUnit:
    """Decimal configs are scaled exactly at the edge."""

    @pytest.mark.parametrize(
        ("change", "smallest"),
        [
            ({}, "1"),
            ({"smallBlind": 0.5}, "0.1"),
            ({"smallBlind": 0.05, "bigBlind": 0.1}, "0.01"),
            ({"ante": 0.000001}, "0.000001"),
            ({"startingStack": 1000.0}, "1"),
        ],
    )
    def test_the_smallest_decimal_place_counts(
        self, change: dict[str, object], smallest: str
    ) -> None:
        """Whichever number of the config has it."""
        unit = Unit.of(TableConfig.model_validate({**CONFIG, **change}))
        assert unit.smallest == smallest

    def test_conversion_is_exact_for_every_cent(self) -> None:
        """The classic trap, int(0.29 * 100) == 28, does not bite."""
        unit = Unit(decimals=2)
        for chips in range(100_000):
            assert unit.chips(unit.amount(chips)) == chips

    def test_whole_amounts_stay_integers(self) -> None:
        """500 cents are 5, not 5.0."""
        assert type(Unit(decimals=2).amount(500)) is int

    @pytest.mark.parametrize("amount", [0.001, 1e-300, 1e300, 12.345])
    def test_an_amount_off_the_unit_is_refused(self, amount: float) -> None:
        """The unit is in the message."""
        with pytest.raises(ValueError, match=r"no multiple of 0\.01, this table's unit"):
            Unit(decimals=2).chips(amount)


class TestText:
    """Names and talk come from strangers."""

    def test_display_names_are_cleaned(self) -> None:
        """Control characters go, and what is beyond 64 characters."""
        name = SignupResponse(display_name="\x1b[31mEve\n\u202e" + "x" * 100).display_name
        assert name == ("[31mEve" + "x" * 100)[:64]

    @pytest.mark.parametrize("name", ["", " ", "\n\t", "\u202e"])
    def test_a_name_needs_something_to_show(self, name: str) -> None:
        """An invisible player is no player."""
        assert set(faults(SignupResponse, {"displayName": name})) == {"displayName"}

    def test_table_talk_is_cut_not_refused(self) -> None:
        """A talkative bot does not lose its turn."""
        response = ActionResponse(action="fold", message="é\x07" * 600, reasoning="y" * 5000)
        assert response.message == "é" * 500
        assert response.reasoning == "y" * 4000

    @pytest.mark.parametrize(
        "url", ["", "ftp://host/x", "127.0.0.1:4101", "http://", "file:///etc/passwd"]
    )
    def test_card_urls_are_http(self, url: str) -> None:
        """Nothing else is ever fetched."""
        data = {"roomId": "r1", "agentCardUrl": url}
        assert "http or https" in faults(RegisterPlayerInput, data)["agentCardUrl"]

    @pytest.mark.parametrize("room_id", ["", "a/b", "a b", "../x", "é", "x" * 129, ".hidden"])
    def test_ids_are_safe_in_paths(self, room_id: str) -> None:
        """A room's id stands in URLs, logs and file names."""
        assert "roomId" in faults(CreateRoomInput, {"roomId": room_id, "config": CONFIG})

    @pytest.mark.parametrize("player_id", ["", " x", "a\nb", "a\x00", "x" * 129])
    def test_player_ids_are_printable(self, player_id: str) -> None:
        """A player's id stands in logs."""
        data = {
            "playerId": player_id,
            "displayName": "Ada",
            "agentCardUrl": "http://h/",
            "actionSkill": "act",
            "startingStack": 1,
        }
        assert set(faults(SeatPlayerInput, data)) == {"playerId"}

    def test_nested_faults_carry_their_path(self) -> None:
        """The path leads to the field inside the config."""
        data = {
            "tableId": "t",
            "casinoName": "c",
            "config": {**CONFIG, "bigBlind": 1},
            "casinoCallback": {"agentCardUrl": "x", "eventSkill": ""},
        }
        assert set(faults(ConfigureTableInput, data)) == {
            "config.bigBlind",
            "casinoCallback.agentCardUrl",
            "casinoCallback.eventSkill",
        }


class TestCards:
    """Cards by name."""

    def test_short_form_both_ways(self) -> None:
        """`Td` is the ten of diamonds."""
        assert Card.from_text("Td") == Card(rank="T", suit="diamonds")
        assert Card(rank="A", suit="spades").text == "As"

    @pytest.mark.parametrize("text", ["", "A", "1h", "Ax", "10h", "Ahh"])
    def test_other_text_is_refused(self, text: str) -> None:
        """Nothing is guessed."""
        with pytest.raises(ValueError, match="validation error"):
            Card.from_text(text)

    def test_hole_cards_are_two(self) -> None:
        """Three hole cards are another game."""
        data = {
            "tableId": "t",
            "bettingRound": "preflop",
            "communityCards": [],
            "holeCards": [{"rank": "A", "suit": "hearts"}] * 3,
            "pot": 0,
            "minimumRaise": 0,
            "currentBet": 0,
            "playerStack": 0,
            "legalActions": [],
        }
        assert set(faults(ActionRequest, data)) == {"holeCards", "legalActions"}
