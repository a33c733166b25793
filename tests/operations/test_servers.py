"""The servers that tests start are real, private, and gone afterwards."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import dj_database_url
import psycopg
import pytest
import redis

from tests import servers


def test_redis_answers_on_a_unix_socket(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.ping()
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        assert client.config_get("port") == {"port": "0"}


@pytest.mark.postgres
def test_postgres_answers_on_a_unix_socket(postgres_url: str) -> None:
    settings = dj_database_url.parse(postgres_url)
    with psycopg.connect(host=settings["HOST"], user=settings["USER"], dbname=settings["NAME"]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.postgres
def test_postgres_leaves_nothing() -> None:
    with servers.postgres_server() as url:
        place = Path(unquote(urlsplit(url).netloc.partition("@")[2]))
        assert place.is_dir()
    assert not place.exists()
