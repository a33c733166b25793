"""Pages in the viewer's language and zone, and catalogs that hold what the sources say."""

import ast
import gettext
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from django.utils.translation.template import templatize

from portal.templatetags.pages import ago
from portal.timezones import TimeZoneMiddleware

ROOT = Path(settings.BASE_DIR)
CATALOGS = sorted((ROOT / "locale").glob("*/LC_MESSAGES/django.po"))
CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext"}
RENEW = (
    "manage.py makemessages -l nl -l zh_Hant --no-location --no-wrap -i .venv -i var -i tests -i benchmarks, "
    "translate, then manage.py compilemessages -i .venv"
)
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("code", "word"), [("en", "Sign out"), ("nl", "Afmelden"), ("zh-hant", "登出")])
def test_the_chosen_language_is_that_of_the_page(as_bob: Client, code: str, word: str) -> None:
    chosen = as_bob.post("/language", {"language": code, "next": "/samples/"})
    assert (chosen.status_code, chosen["Location"]) == (303, "/samples/")
    page = as_bob.get("/hooks/").content.decode()
    assert f'<html lang="{code}"' in page
    assert word in page


def test_scripts_speak_it_too(as_bob: Client) -> None:
    page = as_bob.get("/hooks/", headers={"accept-language": "nl"}).content.decode()
    said = dict(re.findall(r'data-word-([a-z-]+)="([^"]+)"', page))
    assert said["copied"] == "Gekopieerd"
    scripts = "".join(path.read_text() for path in (ROOT / "static/js").glob("*.js"))
    asked = set(re.findall(r"\.word([A-Z]\w+)", scripts))
    assert {"".join(part.capitalize() for part in name.split("-")) for name in said} == asked


def test_the_browser_is_asked_where_nobody_chose(as_bob: Client) -> None:
    assert (
        '<html lang="zh-hant"' in as_bob.get("/hooks/", headers={"accept-language": "zh-TW,en;q=0.5"}).content.decode()
    )
    assert '<html lang="en"' in as_bob.get("/hooks/", headers={"accept-language": "fr"}).content.decode()


def test_a_language_that_there_is_not_changes_nothing(as_bob: Client) -> None:
    assert not as_bob.post("/language", {"language": '"><script>'}).cookies


def test_the_api_speaks_english_to_all(client: Client) -> None:
    said = {
        client.get("/api/v1/hooks", headers={"accept-language": code}).content.split(b'"requestId"')[0]
        for code in ("en", "nl")
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("zone", "offset"), [("Asia/Taipei", "+08:00"), ("../../etc/passwd", "+00:00"), ("", "+00:00")]
)
def test_dates_are_in_the_viewers_zone(rf: RequestFactory, zone: str, offset: str) -> None:
    request = rf.get("/")
    request.COOKIES["zone"] = zone
    page = TimeZoneMiddleware(lambda _: HttpResponse(ago(timezone.now())))(request)
    assert f'{offset}" title=' in page.content.decode()


@pytest.mark.parametrize("catalog", CATALOGS, ids=lambda path: path.parts[-3])
def test_a_catalog_holds_every_word_of_the_sources(catalog: Path) -> None:
    held = {plain(entry[0]) for entry in entries(catalog)}
    missing = sorted(word for word in words() if plain(word) not in held)
    assert not missing, f"Run {RENEW}"


@pytest.mark.parametrize("catalog", CATALOGS, ids=lambda path: path.parts[-3])
def test_a_compiled_catalog_says_what_its_source_says(catalog: Path) -> None:
    with catalog.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for word, said in entries(catalog):
        if word and said:
            assert compiled.gettext(word) == said, f"Run {RENEW}"


def entries(catalog: Path) -> Iterator[tuple[str, str]]:
    """Each word with its translation; of those with a plural only the word counts here."""
    for block in catalog.read_text().split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in (line for line in block.split("\n") if not line.startswith("#")):
            start, _, rest = line.partition(" ") if not line.startswith('"') else (name, "", line)
            name = start
            fields[name] = fields.get(name, "") + str(ast.literal_eval(rest or '""'))
        if "msgid" in fields:
            yield fields["msgid"], fields.get("msgstr", "")


@cache
def words() -> frozenset[str]:
    return frozenset(_words())


def _words() -> Iterator[str]:
    for folder in ("agents", "hooks", "portal"):
        for path in (ROOT / folder).rglob("*.py"):
            yield from called(path.read_text())
    for path in (ROOT / "templates").rglob("*.html"):
        yield from called(templatize(path.read_text()))


def called(source: str) -> Iterator[str]:
    """The first word of each call that marks one, in Python or in what Django makes of a template for xgettext."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        for found in re.finditer(
            r"""\bn?gettext\(u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b_\(("(?:[^"\\]|\\.)*")\)""", source
        ):
            yield str(ast.literal_eval(found[1] or found[2]))
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", "") in CALLS
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value)


def plain(word: str) -> str:
    """xgettext and templatize write percent signs differently."""
    return word.replace("%%", "%")
