"""What players did over several rooms: whose results they are, and how they add up."""

import json

from casino_contracts import HOLDEM
from casino_contracts.play_counts import PlayCounts
from casino_lobby.domain.observed_hand import HOUR_S, RECENT_KEPT, RecentBest
from casino_lobby.domain.player_careers import (
    MOST_RANKED,
    ROOMS_SHOWN,
    STYLE_HANDS,
    RoomCareer,
    career_of,
    careers_in,
    ranking,
    style_of,
)
from casino_lobby.domain.player_results import PlayerResults
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import CareerIds
from support.table.played_session import PlayedSession

ADA, BOB = "http://ada/", "http://bob/"
IDS = CareerIds(b"a key")


def played(room_id: str, *wins: int, names: tuple[str, str] = ("Ada", "Bob")) -> PlayedSession:
    """Return a room in which `http://ada/` won so many chips in each hand from `http://bob/`."""
    session = PlayedSession()
    session.room.room_id = room_id
    for player_id, name, card in zip(("p1", "p2"), names, (ADA, BOB), strict=True):
        session.sit(player_id, 20_000, displayName=name, agentCardUrl=card)
    for win in wins:
        session.hand(2, p1=win, p2=-win)
    return session


def parts_of(*sessions: PlayedSession) -> list[RoomCareer]:
    return [part for session in sessions for part in careers_in(session.room, IDS)]


def test_results_of_several_rooms_are_those_of_one() -> None:
    wins = [6, -2, 4, 10, -8, 2] * 10
    [*split] = (
        ranking(parts_of(*rooms), HOLDEM)
        for rooms in (
            [played("all", *wins)],
            [
                played("a", *wins[:7]),
                played("b", *wins[7:31]),
                played("c"),
                played("d", *wins[31:]),
            ],
        )
    )
    one, several = split
    for whole, merged in zip(one, several, strict=True):
        assert merged.rooms == 3
        assert merged == whole.model_copy(update={"rooms": 3, "seated_in": ("a", "b", "c", "d")})


def test_a_taken_name_takes_no_results_and_a_new_name_loses_none() -> None:
    session, later = played("a", 2, 2), played("b", 2, names=("Carla", "Bob"))
    session.sit("p3", 200, displayName="Ada", agentCardUrl="http://thief/")
    session.hand(2, p1=2, p2=-4, p3=2)
    lines = {line.id: line for line in ranking(parts_of(session, later), HOLDEM)}
    ada, thief = (IDS.of(session.room, player_id) for player_id in ("p1", "p3"))
    assert ada is not None
    assert thief is not None
    assert [(lines[key].name, lines[key].hands) for key in (ada, thief)] == [
        ("Carla", 4),
        ("Ada", 1),
    ]
    assert "http" not in json.dumps([line.model_dump() for line in lines.values()])


def test_an_id_that_two_agents_have_had_is_nobodys() -> None:
    session = played("a", 2)
    session.leave("p1")
    session.sit("p1", 200, displayName="Ada", agentCardUrl="http://thief/")
    session.hand(2, p1=2, p2=-2)
    assert IDS.of(session.room, "p1") is None
    [line] = ranking(parts_of(session), HOLDEM)
    assert line.name == "Bob"


def test_an_id_follows_from_the_address_and_the_lobbys_key_alone() -> None:
    room, later = played("a", 2).room, played("b", 2, names=("Carla", "Bob")).room
    assert CareerIds(b"a key").of(later, "p1") == IDS.of(room, "p1") != IDS.of(room, "p2")
    assert CareerIds(b"another key").of(room, "p1") != IDS.of(room, "p1")


def test_rooms_of_services_do_not_count_and_older_rooms_do() -> None:
    session = played("a", 2)
    stored = session.room.to_json()
    for player in stored["results"]["players"].values():
        del player["card_url"], player["best"], player["wins"], player["description"]
    del stored["results"]["best"]
    older = Room.from_json(json.loads(json.dumps(stored)))
    assert [part.career_id for part in careers_in(older, IDS)] == [
        part.career_id for part in careers_in(session.room, IDS)
    ]
    session.leave("p1")
    assert IDS.of(session.room, "p1") == IDS.of(older, "p1")
    session.room.owner = "evaluator"
    assert list(careers_in(session.room, IDS)) == []


def test_players_without_a_rank_are_in_order_of_hands_then_rate() -> None:
    lines = ranking(parts_of(played("a", 2, 2, -1), played("b", 1)), HOLDEM)
    assert [(line.name, line.hands) for line in lines] == [("Ada", 4), ("Bob", 4)]
    assert lines[0].bb_per_100 > 0 > lines[1].bb_per_100
    turned = ranking(parts_of(played("a", -2, -2)), HOLDEM)
    assert [line.name for line in turned] == ["Bob", "Ada"]


def test_only_what_is_decided_has_a_rank() -> None:
    sure, unsure, few = ([4, 2] * 30, [40, -39] * 20, [50] * 3)
    rooms = []
    for name, wins in (("sure", sure), ("unsure", unsure), ("few", few)):
        session = PlayedSession()
        session.room.room_id = name
        session.sit("p1", 20_000, displayName=name)
        session.room.results.players["p1"].card_url = f"http://{name}/"
        session.sit("p2", 20_000, playerType="human")
        for win in wins:
            session.hand(2, p1=win, p2=-win)
        rooms.append(session)
    first, second, third = ranking(parts_of(*rooms), HOLDEM)
    assert [(line.name, line.rank, line.decided) for line in (first, second, third)] == [
        ("sure", 1, True),
        ("unsure", None, False),
        ("few", None, False),
    ]
    assert third.half_interval_95 is None


def test_a_ranking_is_bounded() -> None:
    results = PlayerResults("x")
    results.rate.add(1)
    parts = [
        RoomCareer(f"{number:016x}", "r1", "p1", HOLDEM, "open", True, results)
        for number in range(MOST_RANKED + 10)
    ]
    assert len(ranking(parts, HOLDEM)) == MOST_RANKED


def test_games_without_a_common_unit_rank_nobody() -> None:
    session = PlayedSession("kuhn_poker")
    session.sit("p1")
    session.sit("p2")
    for _ in range(40):
        session.begin_hand(None)
        session.end_hand({"p1": 3, "p2": -3}, 1)
        session.begin_hand(None)
        session.end_hand({"p1": 1, "p2": -1}, 1)
    lines = ranking(careers_in(session.room, IDS), "kuhn_poker")
    assert [(line.rank, line.decided, line.hands) for line in lines] == [(None, True, 80)] * 2
    assert ranking(careers_in(session.room, IDS), HOLDEM) == []


def test_a_page_has_the_newest_rooms_and_the_best_hands_of_all() -> None:
    sessions = [played(f"r{number}", number, -1) for number in range(1, ROOMS_SHOWN + 3)]
    ada = parts_of(*sessions)[0].career_id
    parts = [part for part in parts_of(*sessions) if part.career_id == ada]
    career = career_of(parts, 7)
    assert [game.rank for game in career.games] == [7]
    assert career.rooms[0].room_id == f"r{ROOMS_SHOWN + 2}"
    assert len(career.rooms) == ROOMS_SHOWN
    assert [hand.net for hand in career.greatest_wins] == [26, 25.5, 25, 24.5, 24]
    assert all(hand.hand_number == 1 for hand in career.greatest_wins)
    assert career.name == "Ada"


def test_costs_and_defaults_add_up() -> None:
    sessions = []
    for room_id in ("a", "b"):
        session = played(room_id)
        session.begin_hand()
        session.act("p1", "defaulted", defaulted={"reason": "model_failed"})
        usage = {"model": "small", "inputTokens": 900, "outputTokens": 100, "costUsd": 0.002}
        detail = {"reason": "model_failed", "detail": f"429 in {room_id}"}
        said = {"playerId": "p1", "decision": 1, "usage": usage, "defaulted": detail}
        session.end_hand({"p1": 2, "p2": -2}, 2, disclosed=[said])
        sessions.append(session)
    career = career_of([part for part in parts_of(*sessions) if part.player_id == "p1"], None)
    assert career.faults == {"defaulted": 2}
    assert career.defaulted is not None
    assert [(line.count, line.detail) for line in career.defaulted] == [(2, "429 in b")]
    assert career.costs is not None
    assert (career.costs.cost_usd, career.costs.won_per_usd) == (0.004, 500.0)


def test_a_style_needs_a_sample() -> None:
    few = PlayCounts(vpip=5, vpip_of=STYLE_HANDS - 1, aggressive=90, calls=1)
    assert style_of(few) is None
    for vpip, aggressive, calls, words in (
        (18, 60, 20, ("tight", "aggressive")),
        (60, 10, 40, ("loose", "passive")),
        (25, 30, 20, ()),
        (18, 9, 0, ("tight",)),
    ):
        style = style_of(PlayCounts(vpip=vpip, vpip_of=100, aggressive=aggressive, calls=calls))
        assert style is not None
        assert style.words == words


class TestTheBestOfAnHour:
    def test_it_is_the_best_of_any_time_and_survives_a_restart(self) -> None:
        best = RecentBest()
        for minute, score in ((0, 50), (10, 90), (20, 40), (30, 70)):
            best.note(f"2026-11-29T09:{minute:02}:00Z", score, 1, minute + 1)
        ten = best.hands[0][0]
        assert best.since(ten - 1, ten + HOUR_S) == (90, 1, 11)
        assert best.since(ten, ten + HOUR_S) == (70, 1, 31)
        assert best.since(ten, ten + 1) is None
        best.note("2026-11-29T10:15:00+00:00", 10, 1, 99)
        assert [hand[1] for hand in best.hands] == [70, 10]

    def test_a_table_may_say_anything(self) -> None:
        best = RecentBest()
        for time in ("", "yesterday", "2026-13-40", "0001-01-01T00:00:00+14:00"):
            best.note(time, 5, 1, 1)
        best.note("2026-11-29T09:00:00Z", 5, 1, None)
        for score in range(3 * RECENT_KEPT, 0, -1):
            best.note("2026-11-29T09:00:00Z", score, 1, score)
        assert len(best.hands) == RECENT_KEPT
        assert best.hands[0][1] == 3 * RECENT_KEPT

    def test_a_room_keeps_it(self) -> None:
        session = played("a")
        for pot in (240, 600, 20):
            session.begin_hand()
            session.end_hand({"p1": pot / 2, "p2": -pot / 2}, 2, pots=[{"amount": pot}])
        assert [hand[1:] for hand in session.room.results.best.hands] == [(300, 1, 2), (10, 1, 3)]
        assert [hand[2] for hand in session.room.results.players["p1"].best.hands] == [2, 1, 3]
        assert session.recount() == session.room.results
        session.restart()
        assert session.recount() == session.room.results
