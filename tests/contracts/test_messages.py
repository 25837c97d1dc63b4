"""Rules of single fields, with the field named in the error."""

from typing import Any

import pytest
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Card,
    ConfigureTableInput,
    CreateRoomInput,
    RegisterPlayerInput,
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


class TestNumbers:
    @pytest.mark.parametrize(("sent", "read"), [(40, 40), (40.0, 40), (0, 0), (2**53 - 1,) * 2])
    def test_whole_amounts_are_integers(self, sent: float, read: int) -> None:
        """`40.0` is 40, as protobuf and JavaScript send it."""
        amount = ActionResponse.model_validate({"action": "raise", "amount": sent}).amount
        assert amount == read
        assert type(amount) is int

    def test_fractions_stay(self) -> None:
        assert ActionResponse(action="bet", amount=0.25).amount == 0.25

    @pytest.mark.parametrize(
        "amount", [-1, -0.5, "40", True, float("nan"), float("inf"), 2**53, 1e300, [], {}]
    )
    def test_what_is_no_amount_is_refused(self, amount: object) -> None:
        """Text, booleans, negative and inexact numbers; the field is named."""
        assert faults(ActionResponse, {"action": "bet", "amount": amount}) == {
            "amount": f"must be a number of at least 0 and at most {2**53 - 1}"
        }

    @pytest.mark.parametrize("seats", [1, 11, 6.5, "6", True])
    def test_whole_numbers_have_bounds(self, seats: object) -> None:
        """Seats are 2 to 10, without a fraction."""
        assert faults(TableConfig, {**CONFIG, "maxSeats": seats}) == {
            "maxSeats": "must be a whole number of at least 2 and at most 10"
        }


class TestTableConfig:
    """A config that no table could play is refused; the error names the field and the fix."""

    @pytest.mark.parametrize(
        ("change", "field", "complaint"),
        [
            ({"bigBlind": 4}, "bigBlind", "at least smallBlind, 5"),
            ({"maxBuyIn": 100}, "maxBuyIn", "at least minBuyIn, 200"),
            ({"startingStack": 100}, "startingStack", "between minBuyIn and maxBuyIn, 200 to 2000"),
            ({"startingStack": 1}, "startingStack", "between minBuyIn and maxBuyIn, 200 to 2000"),
            ({"startingStack": 5000}, "startingStack", "must lie between minBuyIn and maxBuyIn"),
            ({"startingStack": "much"}, "startingStack", "must be a number above 0"),
            ({"bigBlind": 1001}, "bigBlind", "at most startingStack, 1000"),
            ({"ante": 1001}, "ante", "at most startingStack, 1000"),
            ({"smallBlind": 0}, "smallBlind", "above 0"),
            ({"smallBlind": 0.0000001}, "smallBlind", "more than 6 decimal places"),
            ({"maxHands": 0}, "maxHands", "above 0"),
            ({"rebuy": "always"}, "rebuy", "'none' or 'auto'"),
            ({"seed": 7}, "seed", "string"),
            ({"actionTimeoutMs": 0}, "actionTimeoutMs", "at least 1"),
            (
                {"maxActionTimeoutMs": 9_999},
                "maxActionTimeoutMs",
                "at least actionTimeoutMs, 10000",
            ),
            ({"maxActionTimeoutMs": 3_600_001}, "maxActionTimeoutMs", "at most 3600000"),
            ({"timeBankMs": -1}, "timeBankMs", "at least 0"),
            ({"paceMs": 60_001}, "paceMs", "at most 60000"),
            ({"resultMs": -1}, "resultMs", "at least 0"),
            ({"seed": "s", "decks": 0}, "decks", "above 0"),
        ],
    )
    def test_faults_name_the_field(
        self, change: dict[str, object], field: str, complaint: str
    ) -> None:
        found = faults(TableConfig, {**CONFIG, **change})
        assert list(found) == [field]
        assert complaint in found[field]

    def test_every_fault_is_listed(self) -> None:
        assert set(faults(TableConfig, {"maxSeats": 99})) == {
            "startingStack",
            "smallBlind",
            "bigBlind",
            "minBuyIn",
            "maxBuyIn",
            "maxHands",
            "maxSeats",
        }

    def test_decks_need_a_seed(self) -> None:
        """Where a room is ordered; nobody reads the seed of a room that is open."""
        order = {"config": {**CONFIG, "decks": 3}}
        assert faults(CreateRoomInput, order) == {
            "config.decks": "needs seed, from which the decks follow"
        }
        public = CreateRoomInput.model_validate({"config": {**order["config"], "seed": "s"}}).config
        assert TableConfig.model_validate(public.public().model_dump()).decks == 3

    def test_the_public_form_has_no_seed(self) -> None:
        """The seed determines every card."""
        config = TableConfig.model_validate({**CONFIG, "seed": "secret-7"})
        assert config.seed == "secret-7"
        assert "secret-7" not in config.public().model_dump_json()


class TestUnit:
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
        unit = Unit.of(TableConfig.model_validate({**CONFIG, **change}))
        assert unit.smallest == smallest

    def test_conversion_is_exact_for_every_cent(self) -> None:
        """`int(0.29 * 100)` would be 28."""
        unit = Unit(decimals=2)
        for chips in range(100_000):
            assert unit.chips(unit.amount(chips)) == chips

    @pytest.mark.parametrize("amount", [0.001, 1e-300, 1e300, 12.345])
    def test_an_amount_off_the_unit_is_refused(self, amount: float) -> None:
        with pytest.raises(ValueError, match=r"no multiple of 0\.01, this table's unit"):
            Unit(decimals=2).chips(amount)


class TestText:
    def test_table_talk_is_cut_not_refused(self) -> None:
        response = ActionResponse(action="fold", message="é\x07" * 600, reasoning="y" * 5000)
        assert response.message == "é" * 500
        assert response.reasoning == "y" * 4000

    @pytest.mark.parametrize(
        "url", ["", "ftp://host/x", "127.0.0.1:4101", "http://", "file:///etc/passwd"]
    )
    def test_card_urls_are_http(self, url: str) -> None:
        data = {"roomId": "r1", "agentCardUrl": url}
        assert "http or https" in faults(RegisterPlayerInput, data)["agentCardUrl"]

    def test_nested_faults_carry_their_path(self) -> None:
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
    def test_cards_have_a_short_form(self) -> None:
        """`Td` is the ten of diamonds."""
        assert Card.from_text("Td") == Card(rank="T", suit="diamonds")
        assert Card(rank="A", suit="spades").text == "As"

    def test_hole_cards_are_two(self) -> None:
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
