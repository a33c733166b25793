"""Secrets are masked wherever they stand; what only looks like one is left."""

import json
import random
import sys

import pytest

from hooks.engine.matcher import InvalidMatcher
from hooks.engine.redaction import MASK, Redactor

KEY = "abcdefghijklmnopqrstuvwxyz0123456789"
REDACTOR = Redactor()


def said(text: str) -> str:
    """Mask, which done twice must change nothing more."""
    found = REDACTOR.text(text)
    assert REDACTOR.text(found) == found
    return found


@pytest.mark.parametrize(
    "token",
    [
        f"sk-proj-{KEY}",
        f"sk-ant-api03-{KEY}",
        f"hk_{KEY}",
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        f"ghp_{KEY}",
        f"github_pat_{KEY}",
        f"glpat-{KEY}",
        f"xoxb-1234567890-{KEY}",
        f"xoxe.xoxp-1-{KEY}",
        f"xapp-1-{KEY}",
        f"https://hooks.slack.com/services/T000/B000/{KEY}".removeprefix("https://"),
        f"sk_live_{KEY}",
        f"AIza{KEY}",
        f"npm_{KEY}",
        f"hf_{KEY}",
        f"pypi-{KEY}",
        f"hvs.{KEY}",
        "dapi" + "0123456789abcdef" * 2,
        f"SG.{KEY}.{KEY}",
        f"AGE-SECRET-KEY-1{KEY.upper()}",
        f"eyJ{KEY}.eyJ{KEY}.{KEY}",
        f"eyJ{KEY}.{KEY}.{KEY}.{KEY}.{KEY}",
        "A" * 86 + "==",
        f"abc8Q~{KEY}"[:40],
        f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\\n{KEY}\\n-----END PRIVATE KEY-----\\n"[:-2],
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n-----END OPENSSH PRIVATE KEY-----",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{KEY}\n-----END PGP PRIVATE KEY BLOCK-----",
        f"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}",  # cut off before its end
    ],
)
def test_a_secret_that_one_knows_by_its_looks(token: str) -> None:
    assert said(f"see ({token})" if not token.endswith(KEY) else f"see {token}").removesuffix(")") in (
        f"see ({MASK}",
        f"see {MASK}",
    )
    assert REDACTOR.value({"a": [{"b": token}]}) == {"a": [{"b": MASK}]}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password=hunter2 user=x", "password=* user=x"),
        ("DB_PASSWORD: 'it is' # x", "DB_PASSWORD: '*' # x"),
        ("MYSQL_PWD=abc", "MYSQL_PWD=*"),
        ('{"password": "a\\"b", "user": "x"}', '{"password": "*", "user": "x"}'),
        (
            '{\\"password\\": \\"it\'s \\\\\\" so\\", \\"user\\": \\"x\\"}',
            '{\\"password\\": \\"*\\", \\"user\\": \\"x\\"}',
        ),
        ("[password]=x", "[password]=*"),
        ("password => 'x'", "password => '*'"),
        ("<password>hunter2</password>", "<password>*</password>"),
        ("clientSecret: abc;x", "clientSecret: *"),
        ("aws_secret_access_key = wJalr/K7+x", "aws_secret_access_key = *"),
        ("token=abc12345&page=2", "token=*&page=2"),
        ('"token": "abc"', '"token": "*"'),
        ("mysql --password hunter2 --host x", "mysql --password * --host x"),
        ("az --account-key=ab== --name x", "az --account-key=* --name x"),
        ("curl -u me:hunter2 https://x", "curl -u me:* https://x"),
        ("Authorization: Bearer abc.def\nHost: x", "Authorization: *\nHost: x"),
        ("curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: *' x"),
        ("with Bearer abcdef123456, and", "with Bearer *, and"),
        ("postgres://u:p%40ss@h:5432/d", "postgres://u:*@h:5432/d"),
        ("amqp://:x@h", "amqp://:*@h"),
        ("Server=h;User ID=u;Password=a;b,c;Encrypt=True", "Server=h;User ID=u;Password=*;Encrypt=True"),
        ("AccountName=x;AccountKey=ab+/c==;EndpointSuffix=y", "AccountName=x;AccountKey=*;EndpointSuffix=y"),
        ("https://x/?sv=1&sig=ab%2Bc&se=2", "https://x/?sv=1&sig=*&se=2"),
        (
            "- name: DB_PASSWORD\n  value: hunter2\n- name: X\n  value: y",
            "- name: DB_PASSWORD\n  value: *\n- name: X\n  value: y",
        ),
        (f'{{"key":"\\u0073k-proj-{KEY}"}}', '{"key":"*"}'),
        (f"AccountKey=ab\\/cd\\u002Bef==;{KEY}=", f"AccountKey=*;{KEY}="),
        ("\u0130stanbul password=hunter2.", "\u0130stanbul password=*"),
    ],
)
def test_a_secret_that_one_knows_by_its_name(text: str, masked: str) -> None:
    assert said(text) == masked.replace("*", MASK)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The answer is 4.",
        "task-force-one-two-three-four-five",
        "max_tokens: 4096, promptTokens=12, token: something",
        "PWD=/srv/app",
        "https://host:8080/a@b",
        "password: $DB_PASSWORD",
        "password=${DB_PASSWORD}",
        "password=null",
        'password: ""',
        "passwords are bad; secretName: foo",
        "bearer token authentication",
        "sha512-" + "A" * 86 + "==",
        "chown -u 1000:1000 x",
        '{"path":"C:\\\\u0041\\/x"}',
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert said(text) == text


def test_a_value_is_walked_and_only_its_secrets_change() -> None:
    value = {
        "env": [{"name": "DB_PASSWORD", "value": "x"}, {"name": "A", "value": "b"}],
        "password": 5,
        "api-key": ["a", {"k": 1}],
        "secret": None,
        "pwd": "/srv",
        "n": [1, 2.5, True, None],
    }
    assert REDACTOR.value(value) == {
        **value,
        "env": [{"name": "DB_PASSWORD", "value": MASK}, {"name": "A", "value": "b"}],
        "password": MASK,
        "api-key": [MASK, {"k": 1}],
    }
    assert set(REDACTOR.value({f"sk-{KEY}": 1, f"sk-{KEY}x": 2}).values()) == {1, 2}  # none is lost under one name
    clean = {"a": ["b"]}
    assert REDACTOR.value(clean) is clean
    assert [REDACTOR.value(plain) for plain in (5, None, [], {}, "x")] == [5, None, [], {}, "x"]


def test_what_would_be_masked_for_ever_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooks.engine.redaction.ROUNDS", 1)
    assert REDACTOR.text(f"token sk-{KEY}") == f"token {MASK}"


def test_patterns_and_names_of_an_operator() -> None:
    own = Redactor(["EMP-\\d{6}", "(?i)project x"], ["IBAN", "card-number"])
    assert own.text("EMP-123456 of Project X") == f"{MASK} of {MASK}"
    assert own.value({"iban": "x", "card_number": 1, "y": "z"}) == {"iban": MASK, "card_number": MASK, "y": "z"}
    assert Redactor(["(a|a)*[bc]"]).text("a" * 40) == MASK  # too slow, so all of it goes
    with pytest.raises(InvalidMatcher):
        Redactor(["("])


def test_masking_twice_is_masking_once() -> None:
    chance = random.Random(5)  # noqa: S311 - the same each time
    pieces = [
        "password",
        "token",
        "=",
        ":",
        " ",
        '"',
        "'",
        "\\",
        '\\"',
        ",",
        ";",
        "&",
        "\n",
        "[redacted]",
        f"sk-{KEY}",
        "a1b2c3d4e5",
    ]
    pieces += [
        "://u:",
        "@h",
        "--",
        "value",
        "name",
        "\\u0073k-",
        KEY,
        "-----BEGIN PRIVATE KEY-----",
        "-----END",
        "Bearer ",
        "{",
        "}",
        "==",
    ]
    for _ in range(4000):
        said("".join(chance.choices(pieces, k=chance.randrange(1, 14))))


def test_folding_keeps_every_character_in_its_place() -> None:
    assert [code for code in range(sys.maxunicode + 1) if len(chr(code).lower()) > 1] == [0x130]


HOSTILE = """a sk- password= password=" password=\\" \\ ://a: -----BEGIN_PRIVATE_KEY----- eyJ eyJabcdef. = -- --a- bearer_
    token\\n password_________ ,a token= \\u0041 curl_-u_ SG. 3Q~ ?sig= & é"""


@pytest.mark.parametrize("unit", HOSTILE.replace("\\n", "\n").split())
def test_hostile_text_of_any_length_ends(unit: str) -> None:
    unit = unit.replace("_", " ")
    text = "password=" + unit * (200_000 // len(unit))
    assert said(text).startswith("password=")


def test_a_json_text_stays_one() -> None:
    text = json.dumps({"password": 'a"b\\', "list": [f"sk-{KEY}"], "token": "x y"})
    assert json.loads(said(text)) == {"password": MASK, "list": [MASK], "token": MASK}
