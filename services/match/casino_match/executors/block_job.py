"""What a process needs to play blocks of a match: the plan, and the files of its players."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from casino_match.domain.block import block_to_json
from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file import file_of, is_function
from casino_match.errors import PlayerFailed
from casino_match.executors.executor import PlayBlock
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from casino_match.players.match_player import Player
from casino_match.store.player_files import files_of_players, function_version, style_version

Files = Mapping[str, Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class BlockJob:
    """Plays blocks of a plan whose players all run in one process."""

    plan: Plan
    folder: Path
    """Where the relative paths of players start."""
    files: Files | None = None
    """The files of functions, for a machine that does not have the folder."""

    @property
    def key(self) -> str:
        return self.plan.digest

    def shipped(self) -> "BlockJob":
        return BlockJob(self.plan, self.folder, files_of_players(self.plan, self.folder))

    def start(self) -> PlayBlock:
        """Load the players; raises PlayerFailed, also if they are of another version."""
        entrants = self.plan.players
        if self.files is not None:
            root = Path(tempfile.mkdtemp(prefix="casino-match-"))
            entrants = tuple(
                _unpacked(entrant, root / str(number), self.files)
                for number, entrant in enumerate(entrants)
            )
        for entrant in entrants:
            self._check_version(entrant)
        players = local_players(self.plan.model_copy(update={"players": entrants}), self.folder)
        return partial(_played, self.plan, players)

    def _check_version(self, entrant: Entrant) -> None:
        if entrant.version is None:
            return
        if is_function(entrant.player):
            version = function_version(self.folder, entrant.player)
        else:
            version = style_version()
        if version != entrant.version:
            raise PlayerFailed(
                f"{entrant.name}: {entrant.player} is not what the plan says here: it has the"
                f" version {version[:15]}…, the plan {entrant.version[:15]}…"
            )


def _played(plan: Plan, players: tuple[Player, ...], number: int) -> bytes:
    return block_to_json(play_block(plan, number, players))


def _unpacked(entrant: Entrant, folder: Path, files: Files) -> Entrant:
    """Write a function's files into a folder of their own, and return the player that is there."""
    if not is_function(entrant.player):
        return entrant
    file = file_of(entrant.player)
    for name, content in files[file].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    there = folder / Path(file).name
    return entrant.model_copy(update={"player": there.as_posix() + entrant.player[len(file) :]})
