"""What to do where bubblewrap could not build a sandbox."""

from typing import Any

_NAMESPACES = (
    "User namespaces are off. Turn them on: `sysctl -w kernel.unprivileged_userns_clone=1` (older Debian), "
    "`sysctl -w user.max_user_namespaces=15000`; on Ubuntu 24.04 and later `sysctl -w "
    "kernel.apparmor_restrict_unprivileged_userns=0`, or an AppArmor profile that allows `userns` for bwrap; in a container, "
    "a seccomp profile that allows unshare, clone with namespaces, mount and pivot_root (Docker: `--security-opt "
    "seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`)."
)
_PROC = "A container hides parts of /proc, so no new /proc can be mounted (Docker: `--security-opt systempaths=unconfined`)."
_KNOWN = {
    "Can't mount proc": _PROC,
    "Can't find source path": "The sandbox's user cannot read that path: make it readable for all, or install it from a package.",
    "namespace": _NAMESPACES,
    "uid map": _NAMESPACES,
    "RTM_NEWADDR": _NAMESPACES,
    "Operation not permitted": _NAMESPACES,
    "Permission denied": _NAMESPACES,
    "seccomp": "The kernel was built without CONFIG_SECCOMP_FILTER.",
}


def explain(said: str) -> dict[str, Any]:
    """Return the outcome of a job for which bubblewrap reported no exit code; `said` is its standard error."""
    if not said.startswith("bwrap: ") or "execvp" in said:
        return {"status": "could_not_start", "message": f"The sandbox ended before the hook did. {said}".strip()}
    remedy = next((text for mark, text in _KNOWN.items() if mark in said), "")
    return {"status": "unavailable", "message": f"The sandbox could not be built: {said} {remedy}".strip()}
