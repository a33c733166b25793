"""The options of bin/up."""

import argparse
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Options:
    host: str
    port: int
    data: Path
    demo: bool
    install: str | None


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 (any free one) to 65535, not {text!r}")
    return int(text)


def parse(arguments: list[str] | None = None) -> Options:
    parser = argparse.ArgumentParser(
        prog="bin/up",
        description="Set up and run the portal: packages, database, Redis, sandbox, worker, web. Ctrl+C stops all.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (%(default)s: this machine only)")
    parser.add_argument("--port", type=port, default=8000, help="the port to listen on (%(default)s)")
    parser.add_argument(
        "--data", type=Path, default=ROOT / "var", help="the directory that holds everything stored (var/)"
    )
    parser.add_argument(
        "--no-demo", dest="demo", action="store_false", help="start empty, without the demo agent and hooks"
    )
    parser.add_argument(
        "--install", metavar="FILE", help="only install the packages of this requirements file into .venv, and end"
    )
    found = parser.parse_args(arguments)
    return Options(found.host, found.port, found.data.resolve(), found.demo, found.install)
