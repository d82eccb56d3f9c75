"""What programs ask a hill for, by HTTP."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tests.hills import archive, as_author, key_of, office, visiting

BOTS = "/api/v1/hills/gops/bots"


def test_a_bot_is_sent_and_asked_for(tmp_path: Path) -> None:
    """What was taken is on the disk, in the queue, and known to its author."""
    hill, data = office(tmp_path), archive()
    ada = {**as_author(key_of(hill)), "Content-Type": "application/zip"}
    with visiting(hill) as client:
        sent = client.put(f"{BOTS}/mine", content=data, headers=ada)
        assert (sent.status_code, sent.json()["state"]) == (202, "queued")
        assert hill.uploads.path(sha256(data).hexdigest()).read_bytes() == data
        asked = client.get(sent.headers["location"], headers=ada)
        assert asked.json()["bot"] == "mine"
        again = client.put(f"{BOTS}/mine", content=data, headers=ada)
        assert (again.status_code, again.json()["submission"]) == (200, sent.json()["submission"])
