"""Settings of a test run: a throw-away data directory, nothing from the shell it was typed in, then all of the real ones."""

import os
import secrets
import tempfile

# What a developer has exported for a portal of theirs must reach no test.
for name in list(os.environ):
    if name.startswith(("OPENAI_", "MODEL_", "SANDBOX_", "OIDC_")) or name in {
        "ALLOWED_HOSTS",
        "API_RATE_LIMIT",
        "CSRF_TRUSTED_ORIGINS",
        "DATABASE_URL",
        "DEBUG",
        "HTTPS",
        "LOG_LEVEL",
        "PORTAL_ADMIN_PASSWORD",
        "REDIS_URL",
        "RUNTIME_RATE_LIMIT",
        "TRUSTED_PROXIES",
    }:
        del os.environ[name]

if url := os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = url
# Made and removed by conftest.py; mypy reads these settings too, and must leave nothing.
# A number of a process is not enough: in two containers that share /tmp two may have the same.
os.environ["PORTAL_DATA"] = f"{tempfile.gettempdir()}/portal-test-{os.getpid()}-{secrets.token_hex(4)}"
os.environ["SECRET_KEY"] = "a key for tests only, long enough to be taken as one"

# So that the pages and tables of it are there; a test that signs in so starts a provider.
os.environ |= {"OIDC_ISSUER": "http://127.0.0.1:9", "OIDC_CLIENT_ID": "portal", "OIDC_CLIENT_SECRET": "for-tests-only"}

from portal.settings import *  # noqa: E402, F403
from portal.settings import DATA, DATABASES, STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
CELERY_BROKER_URL = "memory://"
API_RATE_LIMIT = RUNTIME_RATE_LIMIT = 0  # tests of limits set their own

# A file, as in production: what several threads do to a database in memory proves nothing.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": DATA / "test.sqlite3"}
