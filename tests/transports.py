"""The transports, for tests of whole programs, as the table of addresses in docs/protocol.md lists them."""

import os
import re
from pathlib import Path
from typing import Dict, NamedTuple

ROOT = Path(os.environ.get("LOCKSTEP_SOURCE_DIR", Path(__file__).resolve().parents[1]))


class Transport(NamedTuple):
    """One row."""

    form: str  # of the place: HOST:PORT, PATH or NAME
    keeps_messages: bool  # and may lose one; else it is a stream
    has_waiting_line: bool  # a second controller connects and is told that it is too late; else it finds a lock


def _read() -> Dict[str, Transport]:
    text = (ROOT / "docs/protocol.md").read_text(encoding="utf-8").split("\n## Addresses\n")[1]
    rows = re.findall(r"^\| `(\w+):([A-Z:]+)` \| (stream|messages) \| (ERROR 3|locked) \|", text, re.M)
    return {name: Transport(form, carries == "messages", second != "locked") for name, form, carries, second in rows}


TRANSPORTS = _read()
STREAMS = [name for name, row in TRANSPORTS.items() if not row.keeps_messages]
WITH_WAITING_LINE = [name for name, row in TRANSPORTS.items() if row.has_waiting_line]
WITHOUT_WAITING_LINE = [name for name, row in TRANSPORTS.items() if not row.has_waiting_line]


def local_address(name: str, folder, tag: str = "link") -> str:
    """A place on this machine of which only this process knows."""
    place = {"HOST:PORT": "127.0.0.1:0", "PATH": f"{folder}/{tag}", "NAME": f"lockstep-test-{os.getpid()}-{tag}"}
    return f"{name}:{place[TRANSPORTS[name].form]}"
