"""A table before its match: who has come, by which link. Nobody has a seat yet, or cards."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from attrs import evolve, field, frozen

from arena import Seat, join_words
from arena.host import Entrant
from arena_web.http.refusals import ConflictError
from arena_web.http.sse import EventBroadcast
from arena_web.play.person_names import check_distinct_name
from arena_web.play.presence import Attendance
from arena_web.play.seat_secrets import Secret, draw_secret
from arena_web.play.store.stored_tables import StoredSetup
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_setup import TableSetup
from arena_web.player_names import present_players
from arena_web.protocol.messages import TableMoved


@frozen(eq=False)
class Guest:
    """Somebody with a link of their own to a waiting room."""

    secret: Secret  #: in the link
    given_name: str  #: which may be another's, too
    name: str  #: by which the players are told apart
    shown_name: str  #: the same as people read it
    feed: EventBroadcast = field(factory=EventBroadcast)  #: for the person's pages


class WaitingRoom:
    """People who are to play together, until all of them are here, or one of them starts.

    Where somebody comes or goes, all have new feeds, and their pages load again.
    """

    def __init__(
        self,
        key: str,
        setup: TableSetup,
        secrets: Sequence[Secret],
        store: TableStore,
        *,
        address: str = "",
        first_seat: Seat | None = None,
    ) -> None:
        self.key = key  #: of the table
        self.address = address  #: from where it was set up
        self.first_seat = first_seat  #: where the first person is to sit, if that is not drawn
        self._store = store
        self._gather(setup, secrets, set())

    def _gather(
        self, setup: TableSetup, secrets: Sequence[Secret], came: AbstractSet[Secret]
    ) -> None:
        """Gather the people of a setup, by these secrets; some of them `came` before."""
        players = setup.seat().players
        self._names = [player.name for player in players]
        self._bots = [player.bot for player in players]
        labels = present_players(setup.game.name, self._names, self._bots)
        people = zip(secrets, setup.terms.persons, self._names, labels, strict=False)
        guests = [Guest(*person) for person in people]
        self.setup = setup
        self.guests = {guest.secret: guest for guest in guests}  #: by secret, the host first
        self.bots = labels[len(guests) :]  #: the other players, as people read them
        feeds = {guest.secret: guest.feed for guest in guests}
        shown_names = {guest.secret: guest.shown_name for guest in guests}
        self.attendance = Attendance(
            feeds, shown_names, came & shown_names.keys(), self._tell_presence
        )

    @property
    def secrets(self) -> list[Secret]:
        """The secrets of the people, the host's first."""
        return self.attendance.secrets

    @property
    def takes_friends(self) -> bool:
        """Whether friends may still take seats of its bots."""
        return self.setup.terms.invites

    @property
    def is_complete(self) -> bool:
        """Whether all have come, and nobody else may."""
        return not self.takes_friends and self.attendance.came >= self.guests.keys()

    @property
    def names(self) -> list[str]:
        """The names of all players, as people read them, in the order of the setup."""
        return [*self.attendance.names, *self.bots]

    @property
    def host(self) -> Guest:
        """The one who has set the table up."""
        return next(iter(self.guests.values()))

    def to_stored(self) -> StoredSetup:
        """Return the setup as it is kept, with everybody in its order, and no deal."""
        return self.setup.to_stored(self._names, self._bots, range(len(self._names)), None)

    def arrive(self, secret: Secret) -> None:
        """Record that a person has come."""
        self.attendance.arrive(secret)

    def seat_friend(self, name: str) -> Secret:
        """Give a friend a bot's place; return the friend's secret.

        Raises:
            UserError: where a table has no seats for so many people.
        """
        self._check_name(name)
        secret = draw_secret()
        people, (bot, *_) = [*self.setup.terms.persons, name], self.setup.others
        setup = self.setup.change_people(people, bot, invites=True)
        self._change(setup, [*self.guests, secret])
        return secret

    def remove_friend(self, name: str, bot: Entrant) -> None:
        """Take a friend's place away, for somebody else, or else this bot.

        Raises:
            ConflictError: where no friend has this name.
        """
        host, *friends = self.guests.values()
        staying = [host, *[friend for friend in friends if friend.name != name]]
        if len(staying) == len(self.guests):
            raise ConflictError(f"no friend at this table is called {name}")
        people = [friend.given_name for friend in staying]
        setup = self.setup.change_people(people, bot, invites=True)
        self._change(setup, [friend.secret for friend in staying])

    def rename(self, secret: Secret, name: str) -> None:
        """Give a person another name; raise BadNameError where it looks like another player's."""
        self._check_name(name, secret)
        people = [
            name if guest.secret == secret else guest.given_name for guest in self.guests.values()
        ]
        terms = evolve(self.setup.terms, persons=tuple(people))
        self._change(evolve(self.setup, terms=terms), [*self.guests])

    def _check_name(self, name: str, secret: Secret | None = None) -> None:
        """Raise BadNameError where a person's name looks like that of another player."""
        people = [guest.given_name for guest in self.guests.values() if guest.secret != secret]
        check_distinct_name(name, [*people, *self.bots])

    def select_players(
        self, secret: Secret, bot: Entrant | None
    ) -> tuple[TableSetup, list[Secret]]:
        """Return the setup without those who have not come, and the secrets of the others.

        This person has come; a bot has all other seats, or nobody has.

        Raises:
            UserError: where that cannot be played.
        """
        self.arrive(secret)
        guests = [guest for guest in self.guests.values() if guest.secret in self.attendance.came]
        setup = self.setup.change_people([guest.given_name for guest in guests], bot)
        return setup, [guest.secret for guest in guests]

    def find_first_seat(self, setup: TableSetup) -> Seat | None:
        """Return the seat of the first person, which holds only for as many seats as here."""
        return self.first_seat if setup.seat().seats == len(self.names) else None

    def _change(self, setup: TableSetup, secrets: Sequence[Secret]) -> None:
        """Replace the people who are here, by these secrets."""
        self.first_seat = self.find_first_seat(setup)
        self.dismiss()
        self._gather(setup, secrets, self.attendance.came)
        self._store.tables.replace(self.key, self.to_stored(), secrets)

    def dismiss(self) -> None:
        """Make all pages load again: they lead elsewhere now, or show other people."""
        self.close()
        self.attendance.end(TableMoved())

    def close(self) -> None:
        """Tell nobody any more who is here; whoever opens it again finds it as it is kept."""
        self.attendance.alarm.stop()

    def _tell_presence(self) -> None:
        presence = self.attendance.presence
        for reader, feed in self.attendance.feeds.items():
            report = presence.build_report(reader)
            if reader is not None:  # whose page lists who is here
                report = evolve(report, said=self.describe_wait(reader))
            feed.tell(report)

    def describe_wait(self, reader: Secret) -> str:
        """Say to a person when the match begins."""
        if self.takes_friends:
            host = self.host
            starts = "you start" if reader == host.secret else f"{host.shown_name} starts"
            return f"The match begins when all seats are taken, or when {starts} it."
        late = self.attendance.presence.list_late()
        return f"The match begins when {join_words(late)} {'are' if len(late) > 1 else 'is'} here."
