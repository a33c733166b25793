"""Every environment variable that the project reads stands in the README's table, and the other way round."""

import ast
import re
from pathlib import Path

import pytest

from stack.options import ROOT

READERS = {"text", "boolean", "integer", "words", "patterns", "networks", "get", "getenv"}
FOLDERS = ("portal", "hooks", "agents", "stack")
# Set by others for themselves, not by people for the portal.
NOT_OURS = {"DJANGO_SETTINGS_MODULE", "PATH", "HOME"}
TABLE = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE))


def variables(path: Path) -> set[str]:
    """Find names given to env.text("NAME") and its like, to os.environ, and where a table is walked over, its keys."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="env"), attr=attr), args=[ast.Constant(value=str(name)), *_]
            ):
                found |= {name} if attr in READERS else set()
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="environ")), args=[ast.Constant(value=str(name)), *_]
            ):
                found.add(name)
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                found.add(name)
    return found - NOT_OURS


SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
READ = {name: path for path in SOURCES for name in variables(path)}


def test_settings_are_found() -> None:
    assert {"PORTAL_DATA", "DEBUG", "SANDBOX_TMP_MB", "ALLOWED_HOSTS"} <= READ.keys()


@pytest.mark.parametrize("name", sorted(READ))
def test_what_is_read_stands_in_the_table(name: str) -> None:
    assert name in TABLE, f"{READ[name]} reads {name}; add it to the table in README.md"


@pytest.mark.parametrize("name", sorted(TABLE))
def test_what_stands_in_the_table_is_read(name: str) -> None:
    assert name in READ, f"README.md tells of {name}, which nothing reads"
