"""The visibility of matches: a list of what is public, never of what is not; hidden names.

The rotations of a deal share its hands. So what a match was played with is nobody's business until
the last of them is settled; who won, and how, is everybody's at once.

A seed that stands in a tournament's file may be short. From the seed of one deal, which its
transcripts hold, it could then be searched, and with it the hands of all that is to come: so
nothing of such a tournament is shown before all is played.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import Factory, define, evolve, field, frozen

from arena import Seat, UserError
from arena.plugins import get_plugins
from arena.records import (
    Transcript,
    TranscriptHeader,
    TranscriptLine,
    describe_verdict,
    parse_text,
)
from arena.rules import Sides, find_sides, name_seats, seat_alone
from arena.tournament.match_record import MatchRecord, SeatRecord
from arena.tournament.store import Store
from arena.wires import dump

QUOTING_PARTS = {"event", "question", "answer"}
"""The fields of a transcript line that may repeat what players said."""
KIND_KEYS = {"tell", "ask"}
"""The fields of an event or a question that name its type."""

VERDICT, ESCAPE = '"verdict"', "\\"
WAITING_MESSAGE = (
    "The hands are shown once all rotations of this deal are over, as they share the cards."
)


def is_public(store: Store, deal: int) -> bool:
    """Whether everything about this deal's matches is public.

    Yes, when each of its rotations is settled, and the tournament is not held back as a whole.
    """
    return not withholds_hands(store) and store.is_deal_over(deal)


def withholds_hands(store: Store) -> bool:
    """Whether a tournament hides all hands until it is over, as its seed could be guessed."""
    return store.settings.seed is not None and not store.facts.is_over


def explain_waiting(store: Store, deal: int) -> str:
    """Return the reason why the hands of a deal are not public yet, or ""."""
    if withholds_hands(store):
        return (
            "The hands are shown once the whole tournament is over: its seed was set by hand, and"
            " could be found by search."
        )
    return "" if store.is_deal_over(deal) else WAITING_MESSAGE


@frozen
class VisiblePlayer:
    """The public part of a player in a match: of all its seats, if it plays a team."""

    seat: int  # where the replay shows its verdict, if it has one
    name: str
    version: str = ""
    place: int | None = None
    score: float | None = None
    seconds: float | None = None
    verdict: str = ""  # its kind
    detail: str = ""  # what the verdict says, which may quote a hand: only when that is public
    team: tuple[int, ...] = ()  # its seats, if there are teams
    side: int | None = None  # the number of its team, where partners are others
    label: str = field(default=Factory(lambda self: self.name, takes_self=True))
    """What people call it: its title, or else its name."""

    @property
    def seats(self) -> str:
        """Its seats, as text."""
        return ", ".join(map(str, self.team or (self.seat,)))


@frozen
class MatchSummary:
    """The public part of a match."""

    key: str
    game: str
    stage: str
    end: str
    rounds: int
    when: str
    players: tuple[VisiblePlayer, ...]
    public: bool  # may its hands be seen?
    recorded: bool  # was its transcript kept?
    waiting: str = ""  # for what, if its hands may not be seen yet

    @property
    def names(self) -> tuple[str, ...]:
        """What people call the players of all seats."""
        names, teams = [player.label for player in self.players], [p.team for p in self.players]
        return name_seats(tuple(teams), names) if all(teams) else tuple(names)

    @property
    def sides(self) -> tuple[tuple[VisiblePlayer, ...], ...]:
        """The players of each side: each alone, or with its partners."""
        sides: dict[int, list[VisiblePlayer]] = {}
        for number, player in enumerate(self.players):
            sides.setdefault(number if player.side is None else player.side, []).append(player)
        return tuple(map(tuple, sides.values()))

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
    record: MatchRecord,
    game: str,
    *,
    public: bool,
    waiting: str = "",
    hidden: Container[str] = (),
    teams: Sides | None = None,
    label_name: Callable[[str], str] = str,
) -> MatchSummary:
    """Return the public part of a stored match, and the reason why the rest is hidden.

    `teams` are the seats of each player, if they have several; `label_name` returns what people
    call a player. Of those whose names are `hidden`, by what is shown in their place, nothing is
    quoted.
    """
    return MatchSummary(
        record.match,
        game,
        record.stage,
        record.outcome,
        record.rounds,
        record.when,
        tuple(
            _summarize_player(
                seat,
                teams[number] if teams else (),
                number,
                label_name(seat.name),
                public=public and seat.name not in hidden,
            )
            for number, seat in enumerate(record.seats)
        ),
        public,
        record.recorded,
        waiting,
    )


def _summarize_player(
    seat: SeatRecord, team: tuple[int, ...], number: int, label: str, *, public: bool
) -> VisiblePlayer:
    verdict, first = seat.failure, team[0] if team else number
    return VisiblePlayer(
        first if verdict is None or verdict.seat is None else verdict.seat,
        seat.name,
        seat.version,
        seat.place,
        seat.score,
        seat.seconds,
        verdict.kind if verdict else "",
        describe_verdict(verdict.pack()) if verdict and public else "",
        team,
        seat.team,
        label,
    )


def summarize_transcript(transcript: Transcript, key: str) -> MatchSummary:
    """Return the summary of a match from its transcript."""
    last: dict[str, Any] = {}
    verdicts: dict[int, Mapping[str, Any]] = {}
    for line in transcript.lines:
        match line.value:
            case {"outcome": dict(outcome)}:
                last = outcome
            case {"verdict": {"seat": int(seat)} as verdict}:
                verdicts[seat] = verdict
    places, scores = _as_list(last.get("places")), _as_list(last.get("scores"))
    side_of = {
        seat: number
        for number, side in enumerate(find_transcript_sides(transcript.header))
        for seat in side
    }
    players = tuple(
        VisiblePlayer(
            seat,
            name,
            place=_get_number(places, seat),
            score=_get_number(scores, seat),
            verdict=str(verdicts.get(seat, {}).get("kind", "")),
            detail=describe_verdict(verdicts.get(seat, {})),
            side=side_of[seat],
        )
        for seat, name in enumerate(transcript.header.names)
    )
    end, rounds = str(last.get("end", "cut off")), last.get("rounds")
    whole = rounds if isinstance(rounds, int) else 0
    return MatchSummary(key, transcript.header.game, "", end, whole, "", players, True, True)


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


def redact_transcript(
    transcript: Transcript,
    shown_as: Callable[[str], str] = str,
    label_name: Callable[[str], str] = str,
) -> Transcript:
    """Return a public transcript: with bots' names for commands, without stderr.

    `shown_as` returns what is shown in place of a name that is hidden, `label_name` what people
    call who has it: so it is called on pages, and by its name in the text for programs.
    """
    header = transcript.header
    names = tuple(map(shown_as, header.names))
    seats = [{"name": name, "bot": name} for name in names]
    first = dump({**json.loads(header.text), "seats": seats})
    lines = tuple(map(build_line_filter(header.names, names), transcript.lines))
    labels = tuple(map(label_name, header.names))
    return Transcript(evolve(header, names=labels, bots=names, text=first), lines)


def load_public_transcript(store: Store, deal: int, rotation: int) -> Transcript | None:
    """Return the public transcript of a match, or None.

    Raises UnreadableTranscriptError.
    """
    text = store.load_transcript(deal, rotation) if is_public(store, deal) else None
    if text is None:
        return None
    transcript = parse_text(text.decode(), ahead=False)
    return redact_transcript(transcript, store.entrants.mask_name, store.entrants.label_name)


def build_line_filter(
    names: Sequence[str], visible: Sequence[str]
) -> Callable[[TranscriptLine], TranscriptLine]:
    """Return a filter that redacts each line of a match; call it in order.

    `visible` is what is shown in place of the names, in seat order.
    """
    hidden = find_hidden_seats(names, visible)
    if not hidden:
        return _remove_stderr
    unsaid = AliasFilter(hidden)
    return lambda line: _remove_stderr(unsaid.filter_line(line))


def _remove_stderr(line: TranscriptLine) -> TranscriptLine:
    """Return a line without a program's stderr, which is private to its author."""
    if VERDICT not in line.text and ESCAPE not in line.text:  # the key is not there, however spelt
        return line
    verdict = line.value.get("verdict")
    if not isinstance(verdict, dict):
        return line
    return TranscriptLine(line.number, dump({**line.value, "verdict": {**verdict, "stderr": ""}}))


@define
class AliasFilter:
    """Replaces the names of some seats by aliases, line by line.

    A program's own words come into a match where it is asked for a text, as for a nickname, and
    where it is quoted because it failed. Such a text is replaced wherever it comes back, so that
    the transcript still verifies; what is quoted is left out.
    """

    hidden: Mapping[Seat, str]  #: what is shown in place of their names
    _words: dict[str, str] = field(init=False, factory=dict)
    _awaits_text: dict[Seat, bool] = field(init=False, factory=dict)  # by the latest question

    def filter_line(self, line: TranscriptLine) -> TranscriptLine:
        """Return the redacted next line."""
        match line.value:
            case {"to": int(seat), "question": {"options": dict(options)}} if seat in self.hidden:
                self._awaits_text[seat] = "text" in options
            case {"from": int(seat), "answer": str(text)} if self._awaits_text.get(seat):
                self._words[text] = self.hidden[seat]
        value = {
            key: _replace_words(part, self._words) if key in QUOTING_PARTS else part
            for key, part in _remove_quotes(line.value, self.hidden).items()
        }
        return line if value == line.value else TranscriptLine(line.number, dump(value))


def find_hidden_seats(names: Sequence[str], visible: Sequence[str]) -> dict[Seat, str]:
    """Return the aliases of the seats whose names are hidden."""
    pairs = enumerate(zip(names, visible, strict=True))
    return {seat: alias for seat, (name, alias) in pairs if name != alias}


def _remove_quotes(value: Mapping[str, Any], hidden: Mapping[Seat, str]) -> Mapping[str, Any]:
    match value:
        case {"verdict": {"seat": int(seat)} as verdict} if seat in hidden:
            return {**value, "verdict": {**verdict, "detail": "", "line": ""}}
    return value


def _replace_words(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, list):
        return [_replace_words(part, words) for part in value]
    if isinstance(value, dict):
        return {
            key: part if key in KIND_KEYS else _replace_words(part, words)
            for key, part in value.items()
        }
    return value
