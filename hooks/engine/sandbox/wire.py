"""What client and runner say to each other: packets over a SOCK_SEQPACKET unix socket, one connection per job.

The client sends a REQUEST with three descriptors: stdin, transcript and program, each a sealed memfd. The runner answers
with STDOUT and STDERR packets as output comes, then one DONE. A CANCEL packet, or an end of the connection, ends the job.
"""

import fcntl
import json
import os
from typing import Any

from hooks.engine.sandbox.protocol import Completed, Job, Language

REQUEST, CANCEL, STDOUT, STDERR, DONE = (bytes([code]) for code in b"RXoed")
PACKET_BYTES = 64 * 1024
MESSAGE_CHARACTERS = 8_000
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


def sealed(content: bytes) -> int:
    """Return a descriptor of a file in memory that holds `content`, at its start, and that nobody can change."""
    fd = os.memfd_create("hook", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
    return fd


def request(job: Job) -> bytes:
    return REQUEST + json.dumps({"language": job.language, "timeout": job.timeout}).encode()


def parse_request(packet: bytes) -> tuple[Language, float]:
    """Return language and timeout. Raises ValueError or KeyError for anything that `request` does not write."""
    if packet[:1] != REQUEST:
        raise ValueError("not a request")
    document = json.loads(packet[1:])
    language: Language = document["language"]
    if language not in ("bash", "python"):
        raise ValueError("no such language")
    return language, float(document["timeout"])


def done(outcome: dict[str, Any]) -> bytes:
    return DONE + json.dumps(outcome | {"message": outcome.get("message", "")[:MESSAGE_CHARACTERS]}).encode()


def parse_done(packet: bytes, stdout: bytes, stderr: bytes) -> Completed:
    return Completed(stdout=stdout, stderr=stderr, **json.loads(packet[1:]))
