"""Asks the portal whether it is ready."""

import http.client
import json
from typing import Any


def ask(host: str, port: int, timeout: float = 5) -> tuple[int, dict[str, Any]] | None:
    """Answer the status and the document of /readyz, or None while nothing answers."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        connection.request("GET", "/readyz", headers={"Host": f"localhost:{port}", "Accept": "application/json"})
        response = connection.getresponse()
        found = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return (response.status, found) if isinstance(found, dict) else None


def missing(answer: tuple[int, dict[str, Any]]) -> set[str]:
    """Name the parts that are not there; all of them while the answer is not understood."""
    checks = answer[1].get("checks")
    if not isinstance(checks, dict):
        return {"database"} if answer[0] != 200 else set()
    return {name for name, check in checks.items() if not check.get("ok")}


def lacking(answer: tuple[int, dict[str, Any]]) -> dict[str, str]:
    """Say of each part that is not there what it says itself."""
    checks = answer[1].get("checks") or {}
    return {name: str(checks[name].get("detail") or "not there") for name in sorted(missing(answer)) if name in checks}
