"""A port that is taken is told at once, with who holds it."""

import os
import socket

import pytest

from stack import listener
from stack.steps import Problem


def test_it_works() -> None:
    with listener.bind("127.0.0.1", 0) as one, socket.create_connection(one.getsockname()):
        assert one.getsockname()[1] > 0


def test_a_taken_port_names_its_holder_and_the_next() -> None:
    with listener.bind("127.0.0.1", 0) as one:
        port = one.getsockname()[1]
        with pytest.raises(Problem) as refused:
            listener.bind("127.0.0.1", port)
    assert f"Process {os.getpid()} (" in str(refused.value)
    assert f"--port {port + 1}" in str(refused.value)


def test_an_address_of_another_machine() -> None:
    with pytest.raises(Problem, match=r"192\.0\.2\.1:0 cannot be used"):
        listener.bind("192.0.2.1", 0)


def test_no_address_at_all() -> None:
    with pytest.raises(Problem, match="is not an address"):
        listener.bind("no such host", 0)


def test_ipv6() -> None:
    with listener.bind("::1", 0) as one:
        assert one.family == socket.AF_INET6
