"""The public summary of a match: who played, how it ended, and which of its verdicts are quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import Factory, field, frozen

from arena import Seat, UserError
from arena.plugins import get_plugins
from arena.records import Transcript, TranscriptHeader, describe_verdict
from arena.rules import Sides, find_sides, name_seats, seat_alone
from arena.tournament.match_record import SeatRecord, StoredMatch
from arena.tournament.store import Store
from arena_web.matches.finish import MatchFinish, PlayerFinish
from arena_web.texts import find_count


@frozen(kw_only=True)
class VisiblePlayer:
    """The public part of a player in a match: of all its seats, if it plays a team."""

    seat: int  #: where the replay shows its verdict, if it has one
    name: str
    version: str = ""
    place: int | None = None
    score: float | None = None
    seconds: float | None = None
    verdict: str = ""  #: its kind
    detail: str = ""  #: what the verdict says, which may quote a hand: only when that is public
    team: tuple[int, ...] = ()  #: its seats, if there are teams
    side: int | None = None  #: the number of its team, where partners are others
    label: str = field(default=Factory(lambda self: self.name, takes_self=True))
    """What people call it: its title, or else its name."""

    @property
    def seats(self) -> str:
        """Its seats, as text."""
        return ", ".join(map(str, self.team or (self.seat,)))


@frozen(kw_only=True)
class MatchSummary:
    """The public part of a match."""

    key: str
    game: str
    stage: str
    end: str
    rounds: int
    when: str
    players: tuple[VisiblePlayer, ...]
    public: bool  #: whether its hands may be seen
    recorded: bool  #: whether its transcript was kept
    waiting: str = ""  #: for what, if its hands may not be seen yet

    @property
    def labels(self) -> tuple[str, ...]:
        """What people call the players of all seats."""
        labels = [player.label for player in self.players]
        teams = tuple([player.team for player in self.players])
        return name_seats(teams, labels) if all(teams) else tuple(labels)

    @property
    def sides(self) -> tuple[tuple[VisiblePlayer, ...], ...]:
        """The players of each side: each alone, or with its partners."""
        return tuple([tuple([self.players[at] for at in side]) for side in self._sides])

    @property
    def _sides(self) -> Sides:
        """The numbers of the players of each side."""
        sides: dict[int, list[int]] = {}
        for number, player in enumerate(self.players):
            sides.setdefault(number if player.side is None else player.side, []).append(number)
        return tuple(map(tuple, sides.values()))

    @property
    def finish(self) -> MatchFinish:
        """How the match finished."""
        players = [
            PlayerFinish(player.label, player.place, player.score) for player in self.players
        ]
        return MatchFinish(tuple(players), self._sides, find_count(self.game))

    @property
    def deal(self) -> int:
        """The deal's number."""
        return int(self.key.partition(".")[0])

    @property
    def verdicts(self) -> str:
        """The verdicts in a line, each with its player."""
        return ", ".join(
            [f"{player.label}: {player.verdict}" for player in self.players if player.verdict]
        )


def summarize_match(
    store: Store, record: StoredMatch, *, public: bool, waiting: str = ""
) -> MatchSummary:
    """Return the public part of a stored match, and the reason why the rest is hidden.

    Of players whose names are hidden nothing is quoted.
    """
    teams, hidden = store.settings.teams, store.entrant_directory.aliases.values()
    return MatchSummary(
        key=record.match,
        game=store.settings.game,
        stage=record.stage,
        end=str(record.end),
        rounds=record.rounds,
        when=record.when,
        players=tuple(
            _summarize_player(
                seat,
                teams[number] if teams else (),
                number,
                store.entrant_directory.label_name(seat.name),
                public=public and seat.name not in hidden,
            )
            for number, seat in enumerate(record.seats)
        ),
        public=public,
        recorded=record.has_transcript,
        waiting=waiting,
    )


def _summarize_player(
    seat: SeatRecord, team: tuple[int, ...], number: int, label: str, *, public: bool
) -> VisiblePlayer:
    verdict, first = seat.failure, team[0] if team else number
    return VisiblePlayer(
        seat=first if verdict is None or verdict.seat is None else verdict.seat,
        name=seat.name,
        version=seat.version,
        place=seat.place,
        score=seat.score,
        seconds=seat.seconds,
        verdict=verdict.kind if verdict else "",
        detail=describe_verdict(verdict.pack()) if verdict and public else "",
        team=team,
        side=seat.team,
        label=label,
    )


def summarize_transcript(transcript: Transcript, key: str) -> MatchSummary:
    """Return the summary of a match from its transcript."""
    last, verdicts = _find_end(transcript)
    places, scores = _as_list(last.get("places")), _as_list(last.get("scores"))
    side_of = {
        seat: number
        for number, side in enumerate(find_transcript_sides(transcript.header))
        for seat in side
    }
    players = tuple(
        VisiblePlayer(
            seat=seat,
            name=name,
            place=_get_number(places, seat),
            score=_get_number(scores, seat),
            verdict=str(verdicts.get(seat, {}).get("kind", "")),
            detail=describe_verdict(verdicts.get(seat, {})),
            side=side_of[seat],
        )
        for seat, name in enumerate(transcript.header.names)
    )
    rounds = last.get("rounds")
    return MatchSummary(
        key=key,
        game=transcript.header.game,
        stage="",
        end=str(last.get("end", "cut off")),
        rounds=rounds if isinstance(rounds, int) else 0,
        when="",
        players=players,
        public=True,
        recorded=True,
    )


def _find_end(
    transcript: Transcript,
) -> tuple[Mapping[str, Any], Mapping[Seat, Mapping[str, Any]]]:
    """Return the outcome of a match, empty where it was cut off, and its verdicts by seat."""
    last: dict[str, Any] = {}
    verdicts: dict[Seat, Mapping[str, Any]] = {}
    for line in transcript.lines:
        match line.value:
            case {"outcome": dict(outcome)}:
                last = outcome
            case {"verdict": {"seat": int(seat)} as verdict}:
                verdicts[seat] = verdict
    return last, verdicts


def find_transcript_sides(header: TranscriptHeader) -> Sides:
    """Return the sides of a match; everybody alone where its game is not known here."""
    seats = len(header.names)
    game = get_plugins().games.get(header.game)
    with suppress(UserError, ValueError):
        if game:
            return find_sides(header.read_variant(game), seats)
    return seat_alone(seats)


def _as_list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _get_number(values: Sequence[Any], seat: int) -> Any:
    value = values[seat] if seat < len(values) else None
    return value if isinstance(value, (int, float)) else None
