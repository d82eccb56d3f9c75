"""The playing style of GOPS: what is bid for which prize, and what bids come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena import Insights, Observation, Statistic
from arena_gops.rules import award_prize

MAX_MAP_CARDS = 20  # up to which a heat map can be read

STATISTICS = (
    Statistic("bids", "Bids for each prize", across="prize", up="bid"),
    Statistic("won", "Prizes won", "%", about="More is better, but what they are worth decides."),
    Statistic(
        "value",
        "Value of the prizes won",
        "%",
        about="More is better: this is the share of all points.",
        better="more",
        advice="Bid high for large prizes, and give your low cards for small ones.",
    ),
    Statistic(
        "tied",
        "Bids that tie with another one",
        "%",
        about="A habit: nobody wins a prize for which bids tie.",
    ),
    Statistic(
        "margin",
        "Lead of a winning bid over the next one",
        "cards",
        about="Smaller is better: what is above the next bid is wasted.",
        least=0,
        better="less",
        advice="Look at what the others can still bid, and bid only just above that.",
    ),
    Statistic("overbid", "Bid above the prize", "cards", across="prize"),
)


def observe_bids(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of each bid of a match."""
    mapped = lines[0]["variant"]["cards"] <= MAX_MAP_CARDS
    ties, prize, carried, own = lines[0]["variant"]["ties"], 0, 0, {0: False}
    for line in lines[1:]:
        if "answer" in line:
            own[line["from"]] = not line["fallback"]
        elif event := line.get("event"):
            if event["tell"] == "Prize":
                prize = event["card"]
            elif event["tell"] == "Bids":
                bids = tuple(event["cards"])
                gains, carried = award_prize(ties, prize + carried, (0,) * len(bids), bids)
                for seat, bid in enumerate(bids):
                    if own[seat]:
                        yield Observation(seat, "value", float(gains[seat]), many=prize)
                        yield from _observe_bid(seat, bid, prize, bids, mapped=mapped)


def _observe_bid(
    seat: int, bid: int, prize: int, bids: Sequence[int], *, mapped: bool
) -> Iterator[Observation]:
    others = [*bids[:seat], *bids[seat + 1 :]]
    ahead = bid - max(others)
    yield Observation(seat, "won", ahead > 0)
    yield Observation(seat, "tied", bid in others)
    if ahead > 0:
        yield Observation(seat, "margin", ahead)
    if mapped:
        yield Observation(seat, "bids", 1, prize, bid)
        yield Observation(seat, "overbid", bid - prize, prize)


INSIGHTS = Insights(STATISTICS, observe_bids, "gops")
