"""What secrets look like. Group 1 of a pattern, where it has one, is the secret; what stands before it is kept.

Every pattern begins with a literal, which the search for it makes quick, and takes time linear in the text: what may repeat
is bounded, or is possessive and cannot fail after it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, tried only on texts that hold `near`.

    back    how many characters before the match belong to the secret too
    folded  whether pattern and `near` are for the text in lower case
    """

    near: str
    pattern: "re.Pattern[str]"
    back: int = 0
    folded: bool = False


def _alike(prefixes: str, body: str) -> dict[str, str]:
    return dict.fromkeys(prefixes.split(), body)


# Secrets that one knows by how they begin.
TOKENS = {
    **_alike("sk- hk_", r"[A-Za-z0-9_-]{16,}"),  # OpenAI, Anthropic and servers like theirs; this portal
    **_alike("AKIA ASIA", r"[A-Z0-9]{12,}"),  # AWS
    "gh": r"[pousr]_[A-Za-z0-9_]{20,}",  # GitHub
    "github_pat_": r"[A-Za-z0-9_]{20,}",
    "gl": r"(?:pat|dt|rt|ptt|cbt|ft|soat|agent)-[A-Za-z0-9_.-]{16,}",  # GitLab
    "xox": r"[abeoprs](?:\.xoxp)?-[A-Za-z0-9-]{10,}",  # Slack
    "xapp-": r"[A-Za-z0-9-]{10,}",
    "hooks.slack.com/": r"(?:services|workflows|triggers)/[A-Za-z0-9/_-]{10,}",
    **_alike("sk_ rk_", r"(?:live|test)_[A-Za-z0-9]{10,}"),  # Stripe
    "whsec_": r"[A-Za-z0-9+/=]{10,}",
    **_alike("AIza GOCSPX- ya29.", r"[A-Za-z0-9_-]{24,}"),  # Google
    **_alike("npm_ hf_ dckr_pat_ lin_api_ glsa_ shpat_ dop_v1_", r"[A-Za-z0-9_-]{24,}"),
    "hv": r"[sb]\.[A-Za-z0-9_-]{20,}",  # Vault
    **_alike("pypi- NRAK- ATATT3", r"[A-Za-z0-9_=-]{20,}"),
    "dapi": r"[a-f0-9]{32}",  # Databricks
    "SG.": r"[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}",  # SendGrid
    "AGE-SECRET-KEY-1": r"[A-Z0-9]{20,}",
    "eyJ": r"[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]{4,}+(?:\.[A-Za-z0-9_-]*+){0,3}",  # JSON web tokens, signed or encrypted
}
# Names of fields whose value is a secret, whatever it looks like: each by how it ends, with what must stand before that.
STRONG = {
    "pass": "",
    "pwd": "",
    "key": "api access account secret private signing encryption master",
    "secret": "client shared app",
    "token": "auth access refresh id session security bearer api private bot",
    "string": "connection",
    "signature": "amz",
}
# Names where a bare word that follows is more often no secret.
WEAK = ("secret", "token", "credential")
REST = {"pass": "(?:word|wd|phrase|code)", "credential": "s?"}
HEADERS = ("authorization", "cookie")

_AFTER_NAME = r"""(?![a-z])[0-9]{0,2}(?:\\{0,7}["'`])?\]?"""
# {"name": "DB_PASSWORD", "value": "…"}, also in YAML: how Kubernetes writes an environment.
_PAIR = r"""[ \t]{0,8},?[\s\\rn]{0,80}["'\\]{0,8}value["'\\]{0,8}[ \t]{0,8}[:=]"""
_SEPARATOR = rf"(?:[ \t]{{0,8}}(?::?=>?|:|>)|{_PAIR})[ \t]{{0,8}}"
_QUOTE = r"""(?:\\{0,7}["'])?"""
# What stands where a secret would, and is none: nothing, a variable, a place to fill in.
_NOTHING = (
    r"(?!(?:null|none|nil|true|false|undefined)(?![a-z0-9_-])|\$\(|\$\{?[a-z_][a-z0-9_]{0,63}\}?(?=[\s\"',;)]|\Z)"
    r"|\{\{|%\(|\.\.\.|\*\*\*)"
)
# Up to the quote that ends it. Within a JSON text in a JSON text, \" ends it and \\\" stands inside.
_QUOTED = (
    r"""(?<=\\")(?:[^"\\\r\n]|\\{2,}+"?|\\[^"\\])++|(?<=\\')(?:[^'\\\r\n]|\\{2,}+'?|\\[^'\\])++"""
    r"""|(?<!\\)(?<=")(?:[^"\\\r\n]|\\.)++|(?<!\\)(?<=')(?:[^'\\\r\n]|\\.)++"""
)
# Up to a blank, or to a comma and its like where another field follows them.
_BARE = r"""(?<!["'])(?:[^\s"'`&;,<\\]|\\(?![nrt"'\\])|[&;,](?![\s"'\\&;,]|[a-z0-9_.% -]{1,40}[=:]|\Z))++"""
_LIKELY = r"(?=[a-z_./+=-]{0,64}[0-9]|[a-z_./+=-]{20})"
_OF_HEADER = r"""(?<!["'])[^\r\n"'\\]++"""


def _token(prefix: str, body: str) -> Rule:
    """Match a token by its prefix, with neither letter nor digit before it: «task-force» holds no key."""
    literal = re.escape(prefix)
    return Rule(prefix, re.compile(rf"{literal}(?<![A-Za-z0-9]{literal}){body}", re.ASCII))


def _folded(near: str, pattern: str, begins: str = "") -> Rule:
    return Rule(near, re.compile((begins or re.escape(near)) + pattern, re.ASCII | re.DOTALL), folded=True)


def _value(bare: str) -> str:
    return rf"{_SEPARATOR}{_QUOTE}{_NOTHING}({_QUOTED}|{bare})"


def _named() -> Iterator[Rule]:
    for end, before in STRONG.items():
        told = [rf"(?<={word}{between}{end})" for word in before.split() for between in ("", "[._-]")]
        # The working directory goes by a password's short name.
        none = r"""(?!["']?[ \t]{0,8}[:=][ \t]{0,8}["']?[/~])""" if end == "pwd" else ""
        yield _folded(end, rf"(?:{'|'.join(told)}){REST.get(end, '')}{none}{_AFTER_NAME}{_value(_BARE)}")
    for name in WEAK:
        yield _folded(name, rf"{REST.get(name, '')}{_AFTER_NAME}{_value(_LIKELY + _BARE)}")
    for name in HEADERS:
        yield _folded(name, rf"{_AFTER_NAME}{_value(_OF_HEADER)}")


def _options() -> Iterator[Rule]:
    ends = "|".join([*STRONG, *WEAK, "password", "passphrase", "auth"])
    value = rf"{_QUOTE}{_NOTHING}({_QUOTED}|(?!-){_BARE})"
    yield _folded("--", rf"(?<!---)(?:[a-z0-9]{{1,20}}-){{0,4}}(?:{ends})[ =]{{1,4}}{value}")
    for option in ("-u", "--user"):
        yield _folded("curl", r"""[ =]{0,4}["']?[^\s:"']{1,128}+:([^\s"']++)""", begins=f" {option}")


RULES = (
    Rule(
        "-----BEGIN ",
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]|-(?!----END)){0,16384}+(?:-----END [A-Z0-9 ]{0,60}-----)?"
        ),
    ),
    *(_token(prefix, body) for prefix, body in TOKENS.items()),
    # Azure: the key of a storage account, and the secret of an application. SHA-512 sums of packages look like the first.
    Rule("==", re.compile(r"==(?<=(?<![A-Za-z0-9+/-])[A-Za-z0-9+/]{86}==)(?![A-Za-z0-9+/=])"), back=86),
    Rule("Q~", re.compile(r"Q~(?<=[A-Za-z0-9_.~-]{3}[0-9]Q~)[A-Za-z0-9_.~-]{31,34}"), back=4),
    _folded("sig=", r"(?<=[?&;]sig=)([^&\s\"'<>\\]++)"),
    _folded("://", r"[^\s/?#:@\"'<>\\]{0,128}:([^\s/@\"'<>\\]{1,512}+)(?=@)"),
    _folded("bearer", r"(?:[ +]|%20){1,4}(?=[a-z._~+/=-]{0,200}[0-9]|[a-z._~+/=-]{24})([a-z0-9._~+/=-]{8,})"),
    *_named(),
    *_options(),
)
