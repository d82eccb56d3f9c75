"""The clients of a server, by the networks of their addresses, and how much each may have at once.

A subscriber of IPv6 has a /64 of addresses at least, so that is one client. A site may have a /48:
65,536 clients more for the asking. So that counts, too, and may have as much as a few clients.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network

from attrs import define, field, frozen
from starlette.types import Scope

IPV6_SHARES = {64: 1, 48: 4}
"""The networks of an IPv6 address by the bits of their prefix, each with the number of clients as
which it counts."""

FREE_PART = 3  # a client may have a third of the places that are free
MAX_ADDRESS_LENGTH = 64  # characters of what is no address, which only a proxy could have said


@lru_cache(4096)
def find_networks(address: str) -> Mapping[str, int]:
    """Return the networks of a client's address, with the number of clients as which each counts.

    What is no IP address, such as the name of an author, counts by itself.

    >>> find_networks("203.0.113.5"), find_networks("::ffff:203.0.113.5")
    ({'203.0.113.5': 1}, {'203.0.113.5': 1})
    >>> find_networks("2001:db8:1:2:3::4")
    {'2001:db8:1:2::/64': 1, '2001:db8:1::/48': 4}
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return {address[:MAX_ADDRESS_LENGTH]: 1}
    if isinstance(ip, IPv4Address):
        return {str(ip): 1}
    if ip.ipv4_mapped:
        return {str(ip.ipv4_mapped): 1}
    return {str(ip_network((ip, bits), strict=False)): share for bits, share in IPV6_SHARES.items()}


def iter_full_networks(address: str, limit: int, count: Callable[[str], int]) -> Iterator[str]:
    """Yield the networks of an address that have as much as they may have.

    Args:
        address: of a client.
        limit: what one client may have; a network may have as much as those as which it counts.
        count: returns how much a network has.
    """
    for network, share in find_networks(address).items():
        if count(network) >= limit * share:
            yield network


def find_network(address: str) -> str:
    """Return the narrowest network of a client's address.

    >>> find_network("2001:db8:1:2:3::4"), find_network("fe80::1%eth0")
    ('2001:db8:1:2::/64', 'fe80::/64')
    """
    return next(iter(find_networks(address)))


def find_client(scope: Scope) -> str:
    """Return the address of a request's client, or "" if it is unknown."""
    return str(scope["client"][0]) if scope.get("client") else ""


def compute_share(free: int, limit: int) -> int:
    """Return the number of places that a client may have where so many are free; at most `limit`.

    The fewer are free, the fewer a client may have, but one at least. So a few clients never take
    the last ones.

    >>> compute_share(500, 50), compute_share(90, 50), compute_share(1, 50)
    (50, 30, 1)
    """
    return max(1, min(limit, free // FREE_PART))


@define
class ClientCounter:
    """Counts what clients have at once, such as streams, by their networks."""

    total: int = field(init=False, default=0)  #: of all clients
    _counts: Counter[str] = field(init=False, factory=Counter)

    def has_reached(self, address: str, limit: int) -> bool:
        """Whether the client of this address has as much as a client may have."""
        return any(True for _ in iter_full_networks(address, limit, self._counts.__getitem__))

    @contextmanager
    def count(self, address: str) -> Iterator[None]:
        """Count one more within the context."""
        networks = find_networks(address)
        self.total += 1
        self._counts.update(networks.keys())
        try:
            yield
        finally:
            self.total -= 1
            self._counts -= Counter(networks.keys())  # forgets who has none


@frozen
class TrustedProxies:
    """The addresses or networks of trusted proxies; `*` is any address."""

    addresses: Iterable[str] = ()

    def __contains__(self, address: str) -> bool:
        """Whether an address is a trusted proxy's."""
        return any(_covers(proxy, address) for proxy in self.addresses)


def _covers(proxy: str, address: str) -> bool:
    try:
        network: IPv4Network | IPv6Network = ip_network(proxy)
        return ip_address(address) in network
    except ValueError:
        return proxy in {"*", address}
