"""A second factor: codes of an authenticator application (TOTP, RFC 6238), and recovery codes for a lost one.

The secret is kept encrypted with a key made from SECRET_KEY, recovery codes only as hashes. A code serves once: the step of
time that it belonged to is remembered, and none at or before it is taken again.
"""

import base64
import hashlib
import secrets
import time
from typing import Any

import pyotp
import segno
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from portal.access.actors import Actor
from portal.access.models import SecondFactor
from portal.audit.chain import record
from portal.audit.verbs import Verb

ISSUER = "Hook portal"
STEP, DRIFT = 30, 1  # seconds; steps that a clock may be ahead or behind
RECOVERY_CODES = 10
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike


def is_on(user: Any) -> bool:
    return SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).exists()


def begin(user: User) -> str:
    """Give a secret to enrol with, the same one until it is confirmed, so that a reloaded page still fits the application."""
    found = SecondFactor.objects.filter(user=user).first()
    if found is not None and found.confirmed_at is None and (secret := _open(found.secret)):
        return secret
    secret = pyotp.random_base32()
    SecondFactor.objects.update_or_create(user=user, confirmed_at=None, defaults={"secret": _seal(secret), "codes": []})
    return secret


@transaction.atomic
def confirm(user: User, code: str, *, by: Actor) -> list[str]:
    """Turn it on if the code shows that the application has the secret; return the recovery codes, [] where it does not."""
    found = SecondFactor.objects.select_for_update().filter(user=user, confirmed_at=None).first()
    step = _step_of(found, code) if found else None
    if found is None or step is None:
        return []
    codes = [
        "-".join("".join(secrets.choice(LETTERS) for _ in range(5)) for _ in range(2)) for _ in range(RECOVERY_CODES)
    ]
    found.confirmed_at, found.last_step = timezone.now(), step
    found.codes = [_hashed(code) for code in codes]
    found.save()
    _record(Verb.SECOND_FACTOR_ON, user, by)
    return codes


@transaction.atomic
def accepts(user: User, code: str) -> bool:
    """Take a code of the application or a recovery code, once."""
    found = SecondFactor.objects.select_for_update().filter(user=user, confirmed_at__isnull=False).first()
    if found is None:
        return False
    if (step := _step_of(found, code)) is not None:
        found.last_step = step
    elif (hashed := _hashed(code)) in found.codes:
        found.codes = [one for one in found.codes if one != hashed]
    else:
        return False
    found.save(update_fields=["last_step", "codes"])
    return True


@transaction.atomic
def turn_off(user: User, *, by: Actor) -> bool:
    """Take it away: by the user, or by an admin for who has lost all."""
    gone, _ = SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).delete()
    if gone:
        _record(Verb.SECOND_FACTOR_OFF, user, by)
    return bool(gone)


def qr_code(user: User, secret: str) -> SafeString:
    """Draw what an application scans, as SVG without styles."""
    text = pyotp.TOTP(secret).provisioning_uri(name=user.get_username(), issuer_name=ISSUER)
    svg = segno.make(text, micro=False, error="m").svg_inline(scale=4, omitsize=True, dark="#000", light="#fff")
    return mark_safe(svg)  # noqa: S308 # nosec - drawn by segno; the name is in its squares alone


def _step_of(found: SecondFactor, code: str) -> int | None:
    """Tell which step of time a code is of; None where it is wrong or its step was used."""
    code, secret = code.replace(" ", ""), _open(found.secret)
    if not secret or not (code.isascii() and code.isdecimal() and len(code) == 6):
        return None
    now, totp, fitting = int(time.time()) // STEP, pyotp.TOTP(secret), None
    for step in range(now - DRIFT, now + DRIFT + 1):  # all of them, so that the time taken tells nothing
        if secrets.compare_digest(totp.at(step * STEP), code) and step > found.last_step:
            fitting = step
    return fitting


def _hashed(code: str) -> str:
    """Hash a recovery code. It has 49 random bits, so that a plain hash cannot be turned back by guessing online or off."""
    plain = "".join(char for char in code.lower() if char.isalnum())
    return hashlib.pbkdf2_hmac("sha256", plain.encode(), settings.SECRET_KEY.encode(), 100_000).hex()


def _fernet() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    made = (hashlib.sha256(b"second factor\0" + key.encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in made])


def _seal(secret: str) -> str:
    return _fernet().encrypt(secret.encode()).decode()


def _open(sealed: str) -> str:
    """Decrypt a secret; "" where SECRET_KEY is another one now, and then only recovery by an admin is left."""
    try:
        return _fernet().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return ""


def _record(verb: Verb, user: User, by: Actor) -> None:
    record(verb, by=by, object_type="user", object_key=user.pk, object_text=user.get_username())
