"""Networks for limits per client: an IPv6 client has a /64, so that is one visitor."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network

from attrs import frozen
from starlette.types import Scope

IPV6_PREFIX_BITS = 64  # of an address, which are one subscriber's
MAX_ADDRESS_LENGTH = 64  # characters of what is no address, which only a proxy could have said


@lru_cache(4096)
def find_network(address: str) -> str:
    """Return the network of a client's address: the address itself, or its IPv6 /64.

    >>> find_network("203.0.113.5"), find_network("::ffff:203.0.113.5")
    ('203.0.113.5', '203.0.113.5')
    >>> find_network("2001:db8:1:2:3::4"), find_network("fe80::1%eth0")
    ('2001:db8:1:2::/64', 'fe80::/64')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:MAX_ADDRESS_LENGTH]
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((found, IPV6_PREFIX_BITS), strict=False))


def find_client(scope: Scope) -> str:
    """Return the network of a request's client, or "" if it is unknown."""
    return find_network(scope["client"][0]) if scope.get("client") else ""


@frozen
class TrustedProxies:
    """The addresses or networks of trusted proxies; `*` is any address."""

    addresses: Iterable[str] = ()

    def __contains__(self, address: str) -> bool:
        """Whether an address is a trusted proxy's."""
        return any(_covers(trusted, address) for trusted in self.addresses)


def _covers(trusted: str, address: str) -> bool:
    try:
        network: IPv4Network | IPv6Network = ip_network(trusted)
        return ip_address(address) in network
    except ValueError:
        return trusted in {"*", address}
