"""What all tests share: which of them run, and the real servers that they ask for by name."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.test import SimpleTestCase, TransactionTestCase

from tests import servers
from tests.stack import PREPARED, Stack

DATABASE = {"db", "transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--without", default="", help="skip tests that need: postgres, browser (a list with commas)")
    parser.addoption("--database-tests", action="store_true", help="only tests that use the database in this process")


def pytest_configure(config: pytest.Config) -> None:
    # A run that is told to end takes its servers along, as one does that is interrupted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings.DATA.mkdir(mode=0o700)
    settings.STATIC_ROOT.mkdir()  # WhiteNoise warns where it is missing
    let_the_audit_log_be_emptied()
    if PREPARED not in os.environ:  # its other processes inherit it
        os.environ[PREPARED] = tempfile.mkdtemp(prefix="portal-prepared-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(PREPARED), ignore_errors=True))


def let_the_audit_log_be_emptied() -> None:
    """Open the triggers of the audit log for the flush after a test that commits; they refuse any other."""
    flush = TransactionTestCase._fixture_teardown

    def teardown(case: TransactionTestCase) -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE audit_audithead SET purge_through = 9000000000000000000")
        flush(case)

    TransactionTestCase._fixture_teardown = teardown  # type: ignore[method-assign]


def pytest_unconfigure() -> None:
    shutil.rmtree(settings.DATA, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    without = {word for word in config.getoption("--without").split(",") if word}
    for item in items:
        for word in without & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.skip(reason=f"--without {word}"))
        if "portal" in item.fixturenames:
            # One portal for all that use it, also when several processes run the tests.
            item.add_marker(pytest.mark.xdist_group("portal"))
    if config.getoption("--database-tests"):
        chosen = [item for item in items if uses_database(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to go on when pytest-xdist does not see the groups: portals would be started over and over, side by side."""
    if getattr(session.config.option, "loadgroup", False):
        unseen = [
            item.nodeid for item in session.items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid
        ]
        if unseen:
            raise RuntimeError(f"pytest-xdist takes no notice of the group of {unseen[0]}")


def uses_database(item: pytest.Item) -> bool:
    if "portal" in item.fixturenames or any(map(item.get_closest_marker, ("browser", "one_database"))):
        return False
    django_case = item.cls is not None and issubclass(item.cls, SimpleTestCase)
    return bool(item.get_closest_marker("django_db") or django_case or DATABASE & set(item.fixturenames))


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A real Redis of this test run's own."""
    with servers.redis_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL of this test run's own; tests that use it are marked `postgres`."""
    try:
        with servers.postgres_server() as url:
            yield url
    except servers.Missing as missing:
        pytest.fail(str(missing))


@pytest.fixture(scope="session")
def portal() -> Iterator[Stack]:
    """The whole portal as `bin/up` runs it, with the demo content."""
    with Stack() as running:
        yield running
