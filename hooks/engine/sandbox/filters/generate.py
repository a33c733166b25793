"""Generate the seccomp filters that are checked in: `python -m hooks.engine.sandbox.filters.generate`.

Needs `pyseccomp` (requirements-dev.txt) and the libseccomp it loads. An allow-list: a call that is not on it answers
ENOSYS, so that a C library falls back to an older one; a foreign architecture is killed.
"""

import tempfile
from collections.abc import Iterator
from errno import ENOSYS
from pathlib import Path

import pyseccomp as seccomp  # type: ignore[import-untyped]

from hooks.engine.sandbox.filters.calls import ALLOWED, CLONE_NAMESPACES, IOCTLS, PRCTLS, SOCKET_FAMILIES

HERE = Path(__file__).parent
ARCHITECTURES = {"x86_64": seccomp.Arch.X86_64, "aarch64": seccomp.Arch.AARCH64}
LOW_WORD = 0xFFFFFFFF  # the kernel takes these arguments as 32-bit integers; the upper half must not count


def rules() -> Iterator[tuple[str, list[seccomp.Arg]]]:
    """Yield every rule: the call and the conditions on its arguments, all of which must hold."""
    for name in ALLOWED:
        yield name, []
    yield "clone", [seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_NAMESPACES, 0)]
    for family in SOCKET_FAMILIES:
        for name in ("socket", "socketpair"):
            yield name, [seccomp.Arg(0, seccomp.MASKED_EQ, LOW_WORD, family)]
    for request in IOCTLS:
        yield "ioctl", [seccomp.Arg(1, seccomp.MASKED_EQ, LOW_WORD, request)]
    for option in PRCTLS:
        yield "prctl", [seccomp.Arg(0, seccomp.MASKED_EQ, LOW_WORD, option)]


def program(machine: str) -> bytes:
    """Return the BPF program for `machine` (as `os.uname().machine` names it)."""
    filter_ = seccomp.SyscallFilter(defaction=seccomp.ERRNO(ENOSYS))
    filter_.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    filter_.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)
    wanted = ARCHITECTURES[machine]
    if not filter_.exist_arch(wanted):
        filter_.add_arch(wanted)
        filter_.remove_arch(seccomp.Arch.NATIVE)
    for name, arguments in rules():
        # A name that the architecture lacks (`open` on aarch64) has a negative pseudo number there and is left out.
        if seccomp.resolve_syscall(wanted, name) >= 0:
            filter_.add_rule(seccomp.ALLOW, name, *arguments)
    with tempfile.TemporaryFile() as out:
        filter_.export_bpf(out)
        out.seek(0)
        return out.read()


def main() -> None:
    for machine in ARCHITECTURES:
        (HERE / f"{machine}.bpf").write_bytes(program(machine))


if __name__ == "__main__":
    main()
