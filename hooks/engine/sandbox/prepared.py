"""A Python interpreter that is started before its job is known.

It runs `usercustomize`, which `site` imports from the home directory before the script is even looked for. There it waits:
when it may go on, it is where it would be without one, and starts /hook/script as it always does. What it has besides are
the modules that hooks import most. With LIVE instead of GO each line that it prints goes out at once.
"""

import subprocess
from pathlib import Path

READY, GO, LIVE, BEGUN = b"r", b"g", b"l", b"b"

SOURCE = """
import datetime, gc, json, os, re, site, sys

os.unlink(__file__)
here = os.path.dirname(__file__)
sys.path.remove(here)
sys.path_importer_cache.pop(here, None)
os.removedirs(here)
# What is there now stays to the end: no collection need look at it, least of all those at the end.
gc.freeze()
os.write({control}, b"r")
go = os.read({control}, 1)
if go not in (b"g", b"l"):
    os._exit(0)
if go == b"l":
    sys.stdout.reconfigure(line_buffering=True)
os.write({control}, b"b")
os.close({control})
# What site takes for: there is no such module.
raise ImportError(name="usercustomize")
"""


def source(control: int) -> bytes:
    """Return the module that waits at the descriptor `control`, a socket."""
    return SOURCE.format(control=control).encode()


def place(python: Path, home: str) -> Path | None:
    """Return where this interpreter looks for the module; None where it does not."""
    code = "import site; print(site.getusersitepackages() if site.ENABLE_USER_SITE is not None else '')"
    try:
        found = subprocess.run(  # noqa: S603
            [python, "-B", "-c", code], env={"HOME": home}, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return Path(found, "usercustomize.py") if found.startswith(f"{home}/") else None
