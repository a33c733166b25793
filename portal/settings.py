"""All settings, from the environment. README.md has the table of them; a test holds the two together."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from portal import env
from portal.outbound import Allowed, place_of

BASE_DIR = Path(__file__).resolve().parent.parent
DATA = Path(env.text("PORTAL_DATA") or BASE_DIR / "var").resolve()
# Sockets. A link to a shorter path where DATA's is too long for a socket, hence resolved.
RUN = (DATA / "run").resolve()
DEBUG = env.boolean("DEBUG")

SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    # bin/up writes one on the first start, so that a single machine needs no setting at all.
    stored = DATA / "secret_key"
    if not stored.exists():
        raise ImproperlyConfigured(
            "SECRET_KEY is not set, and PORTAL_DATA holds no secret_key file. Run bin/up, or set it."
        )
    SECRET_KEY = stored.read_text().strip()
if len(SECRET_KEY) < 40 and not DEBUG:
    raise ImproperlyConfigured("SECRET_KEY is too short: 40 random characters at least.")
if (len(set(SECRET_KEY)) < 5 or SECRET_KEY.startswith("django-insecure-")) and not DEBUG:
    raise ImproperlyConfigured("SECRET_KEY is no secret: take 50 random characters.")
# Keys that were in force before: what was signed with them still counts.
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")

# This machine's own names are always served: bin/up and probes ask for /readyz by them.
ALLOWED_HOSTS = [*env.words("ALLOWED_HOSTS"), "localhost", "127.0.0.1", "[::1]"]
if "*" in ALLOWED_HOSTS and not DEBUG:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the portal's own names, not '*': links are made of them.")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
for origin in CSRF_TRUSTED_ORIGINS:
    if not origin.startswith(("https://", "http://")) or origin.endswith(("://", "://*")):
        raise ImproperlyConfigured(
            f"CSRF_TRUSTED_ORIGINS must hold origins such as https://portal.example.com, not {origin!r}."
        )
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")
HTTPS = env.boolean("HTTPS")
if HTTPS and DEBUG:
    raise ImproperlyConfigured("DEBUG must be off where HTTPS is on: its pages show settings and source to anybody.")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_htmx",
    "csp",
    "drf_spectacular_sidecar",
    "portal",
    "portal.access",
    "portal.audit",
    "hooks",
    "agents",
]

MIDDLEWARE = [
    "portal.headers.HeadersMiddleware",
    "portal.http.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "portal.languages.LanguageMiddleware",
    "portal.timezones.TimeZoneMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "portal.access.seats.SeatMiddleware",
    "portal.bodies.BodyLimitMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- stored things


def database(url: str) -> dict[str, Any]:
    """Read DATABASE_URL; without one, SQLite in the data directory, in WAL mode so that readers never wait for the writer."""
    if url:
        return dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "portal.sqlite3",
        "OPTIONS": {
            "timeout": 20,
            # A transaction that reads first and writes later would fail at once on a busy database; IMMEDIATE waits its turn.
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
        },
        "CONN_MAX_AGE": 60,
    }


DATABASES = {"default": database(env.text("DATABASE_URL"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env.text("REDIS_URL") or f"unix://{quote(str(RUN / 'redis.sock'))}"

# --- workers

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
# A broker that does not even refuse must not hold up the page that asks for a test.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 3}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_DEFAULT_QUEUE = "evaluations"
CELERY_TASK_ROUTES = {
    "hooks.tasks.run_test": {"queue": "test-runs"},
    # A model's turn may take minutes: it must delay neither evaluations nor tests.
    "agents.tasks.play": {"queue": "playground"},
}
CELERY_TASK_SERIALIZER = "json"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BEAT_SCHEDULE = {
    "end-lost-test-runs": {"task": "hooks.tasks.end_lost_test_runs", "schedule": 15.0},
    "purge": {"task": "hooks.tasks.purge", "schedule": 3600.0},
    "end-lost-threads": {"task": "agents.tasks.end_lost_threads", "schedule": 15.0},
    "purge-threads": {"task": "agents.tasks.purge_threads", "schedule": 3600.0},
    "purge-audit": {"task": "portal.audit.tasks.purge", "schedule": 3600.0},
    "check-audit": {"task": "portal.audit.tasks.check_chain", "schedule": 3600.0},
    "purge-sign-ins": {"task": "portal.access.tasks.purge", "schedule": 3600.0},
    "roll-up": {"task": "hooks.tasks.roll_up", "schedule": 30.0},
}

# --- people

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Sign-in through the organisation's own provider, beside passwords; django-allauth is loaded only where it is set up.
OIDC_ISSUER = env.text("OIDC_ISSUER").removesuffix("/")
OIDC_NAME = env.text("OIDC_NAME", "single sign-on")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env.text("OIDC_CLIENT_SECRET")
OIDC_DOMAINS = env.words("OIDC_DOMAINS")
OIDC_DEFAULT_ROLE = env.text("OIDC_DEFAULT_ROLE")
OIDC_ROLE_CLAIM = env.text("OIDC_ROLE_CLAIM")
OIDC_ADMINS, OIDC_EDITORS, OIDC_VIEWERS = (
    env.words("OIDC_ADMINS"),
    env.words("OIDC_EDITORS"),
    env.words("OIDC_VIEWERS"),
)
if OIDC_DEFAULT_ROLE not in {"", "viewer", "editor", "admin"}:
    raise ImproperlyConfigured(f"OIDC_DEFAULT_ROLE must be viewer, editor or admin, not {OIDC_DEFAULT_ROLE!r}.")
if OIDC_ISSUER:
    if not OIDC_ISSUER.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise ImproperlyConfigured(f"OIDC_ISSUER must be an https:// address, not {OIDC_ISSUER!r}.")
    if not OIDC_CLIENT_ID or not OIDC_CLIENT_SECRET:
        raise ImproperlyConfigured("OIDC_ISSUER is set, so OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be too.")
    INSTALLED_APPS += ["allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"]
    MIDDLEWARE.append("allauth.account.middleware.AccountMiddleware")
    SOCIALACCOUNT_ADAPTER = "portal.access.oidc.Adapter"
    SOCIALACCOUNT_LOGIN_ON_GET = True  # the CSP lets no form lead to another site
    SOCIALACCOUNT_STORE_TOKENS = False
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "oidc",
                    "name": OIDC_NAME,
                    "client_id": OIDC_CLIENT_ID,
                    "secret": OIDC_CLIENT_SECRET,
                    "settings": {"server_url": OIDC_ISSUER, "oauth_pkce_enabled": True},
                }
            ],
        }
    }
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "sign_in"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

# --- the API

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "portal.access.authentication.TokenAuthentication",
        "portal.access.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["portal.access.permissions.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["portal.access.throttles.RateLimit"],
    "DEFAULT_PARSER_CLASSES": ["portal.formats.JSONParser", "portal.formats.YAMLParser"],
    "DEFAULT_RENDERER_CLASSES": ["portal.formats.JSONRenderer", "portal.formats.YAMLRenderer"],
    "EXCEPTION_HANDLER": "portal.api.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
# Requests a minute of one token or user; 0 is without limit.
API_RATE_LIMIT = env.integer("API_RATE_LIMIT", 6_000)
RUNTIME_RATE_LIMIT = env.integer("RUNTIME_RATE_LIMIT", 60_000)
BODY_LIMIT = 64 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_LIMIT
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
DATA_UPLOAD_MAX_NUMBER_FILES = 10

READINESS_CHECKS = {
    "database": "portal.health.database",
    "broker": "portal.health.broker",
    "worker": "portal.health.worker",
    "sandbox": "hooks.runtime.check_sandbox",
    "model": "hooks.runtime.check_model",
}

# /metrics: who may see it (without a token this machine alone), and what is looked up when it is asked for.
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_NOW = ["hooks.metrics.Now"]

# --- models that judge

OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
DEFAULT_DEPLOYMENT = "gpt-5-mini"
MODEL_TIERS = {
    "Reasoning": env.text("MODEL_REASONING"),
    "ReasoningFast": env.text("MODEL_REASONING_FAST"),
    "GeneralPurpose": env.text("MODEL_GENERAL_PURPOSE"),
    "Fast": env.text("MODEL_FAST"),
    "LongContext": env.text("MODEL_LONG_CONTEXT"),
}


def model_hosts(words: Iterable[str]) -> list[Allowed]:
    """Read the hosts and networks, beyond public ones, on which model servers may be."""
    found = []
    for word in words:
        try:
            found.append(Allowed.read(word))
        except ValueError as error:
            raise ImproperlyConfigured(f"MODEL_HOSTS_ALLOWED: {word!r} is not understood: {error}.") from None
    return found


def model_keys(words: Iterable[str]) -> dict[str, str]:
    """Read `https://host=key`: each key with the one origin that it is sent to. What is said of a fault holds no key."""
    found = {}
    for number, word in enumerate(words, 1):
        url, _, key = word.partition("=")
        place = place_of(url)
        if place is None or not key or url.rstrip("/").count("/") != 2:
            raise ImproperlyConfigured(f"MODEL_KEYS: entry {number} must be an origin and a key: https://host=key.")
        found[place.origin] = key
    return found


# Where tiers may lead, and with which keys: an admin types base URLs, the operator decides on these.
MODEL_HOSTS_ALLOWED = model_hosts(env.words("MODEL_HOSTS_ALLOWED"))
MODEL_KEYS = model_keys(env.words("MODEL_KEYS"))

# --- the sandbox

SANDBOX_SOCKET = Path(env.text("SANDBOX_SOCKET") or RUN / "sandbox.sock")
SANDBOX_MEMORY_MB = env.integer("SANDBOX_MEMORY_MB", 512, least=64)
SANDBOX_PROCESSES = env.integer("SANDBOX_PROCESSES", 64, least=8)
SANDBOX_TMP_MB = env.integer("SANDBOX_TMP_MB", 64, least=1)
SANDBOX_POOL = env.integer("SANDBOX_POOL", min(4 * (os.cpu_count() or 1) + 2, 16))

# What is masked in the record beyond what every portal masks: regular expressions, and names of fields.
REDACT_PATTERNS = env.patterns("REDACT_PATTERNS")
REDACT_NAMES = env.words("REDACT_NAMES")
EVALUATION_RETENTION_DAYS = env.integer("EVALUATION_RETENTION_DAYS", 90, least=1)
AUDIT_RETENTION_DAYS = env.integer("AUDIT_RETENTION_DAYS", 0)
AUDIT_TO_STDOUT = env.boolean("AUDIT_TO_STDOUT")

# --- pages

LANGUAGE_CODE = "en"
# Each in its own words: who looks for theirs may read no other.
LANGUAGES = [("en", "English"), ("nl", "Nederlands"), ("zh-hant", "繁體中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Files are for the portal's own pages.
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- security headers

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-src": [NONE],
        "worker-src": [NONE],
    }
}
if HTTPS:
    # Behind a proxy that ends TLS and sets X-Forwarded-Proto.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    # With this prefix browsers take them from this host alone, not from one beside it.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    # HSTS for subdomains and preloading bind names that are not the portal's to bind.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True

# --- logs

LOG_LEVEL = env.text("LOG_LEVEL", "INFO").upper()
if LOG_LEVEL not in {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}:
    raise ImproperlyConfigured(f"LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL, not {LOG_LEVEL!r}.")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "portal.logs.Formatter", "format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # They tell of every task, one each 15 s on an idle portal, and of every request to a model.
    "loggers": {
        name: {"level": "DEBUG" if LOG_LEVEL == "DEBUG" else "WARNING"}
        for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace", "httpx2", "openai")
    }
    # gunicorn writes its lines itself, past the formatter.
    | {"gunicorn.error": {"handlers": ["console"], "propagate": False}},
}
