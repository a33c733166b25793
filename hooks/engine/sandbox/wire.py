"""What client and runner say to each other: packets over a SOCK_SEQPACKET unix socket, one connection per job.

The client sends a REQUEST with three descriptors: stdin, transcript and program, each a sealed memfd. The runner answers
with STDOUT and STDERR packets as output comes, then one DONE. A CANCEL packet, or an end of the connection, ends the job.
A client that sends STATUS instead gets one REPORT.
"""

import fcntl
import json
import os
from typing import Any, NamedTuple

from hooks.engine.sandbox.protocol import Completed, Job, Language, Start

REQUEST, CANCEL, STATUS, STDOUT, STDERR, DONE, REPORT = (bytes([code]) for code in b"RXSoeds")
PACKET_BYTES = 64 * 1024
MESSAGE_CHARACTERS = 8_000
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


def sealed(content: bytes) -> int:
    """Return a descriptor of a file in memory that holds `content`, at its start, and that nobody can change."""
    fd = blank()
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    seal(fd)
    return fd


def blank() -> int:
    """Return a descriptor of an empty file in memory, for `seal`."""
    return os.memfd_create("hook", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def seal(fd: int) -> None:
    """Let nobody change the file from now on."""
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)


class Request(NamedTuple):
    language: Language
    timeout: float
    start: Start
    live: bool


def request(job: Job, *, live: bool = False) -> bytes:
    """`live`: somebody watches the output as it comes, so Python is not to hold back lines."""
    wanted = {"language": job.language, "timeout": job.timeout, "start": job.start, "live": live}
    return REQUEST + json.dumps(wanted).encode()


def parse_request(packet: bytes) -> Request:
    """Raises ValueError, KeyError or TypeError for anything that `request` does not write."""
    if packet[:1] != REQUEST:
        raise ValueError("not a request")
    document = json.loads(packet[1:])
    language, start = document["language"], document["start"]
    if language not in ("bash", "python"):
        raise ValueError("no such language")
    if start not in ("any", "cold", "warm"):
        raise ValueError("no such start")
    return Request(language, float(document["timeout"]), start, document["live"] is True)


def done(outcome: dict[str, Any]) -> bytes:
    return DONE + json.dumps(outcome | {"message": outcome.get("message", "")[:MESSAGE_CHARACTERS]}).encode()


def parse_done(packet: bytes, stdout: bytes, stderr: bytes) -> Completed:
    return Completed(stdout=stdout, stderr=stderr, **json.loads(packet[1:]))


def report(state: dict[str, Any]) -> bytes:
    return REPORT + json.dumps(state).encode()


def parse_report(packet: bytes) -> dict[str, Any]:
    """Raises ValueError for anything else."""
    if packet[:1] != REPORT:
        raise ValueError("not a report")
    state: dict[str, Any] = json.loads(packet[1:])
    return state
