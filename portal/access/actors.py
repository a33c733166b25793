"""Who does something: what services take as `by=` and the audit log keeps."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.http import HttpRequest

from portal.http import client_address

if TYPE_CHECKING:
    from portal.access.models import ApiToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """`key` identifies within `kind`; `text` is what people read, and outlives the user or token."""

    kind: Literal["user", "token", "system"]
    key: str
    text: str
    address: str = ""
    request_id: str = ""

    @classmethod
    def system(cls, text: str) -> "Actor":
        """Name a command or a task of the portal's own."""
        return cls(kind="system", key="", text=text)


def actor_of(request: HttpRequest, token: "ApiToken | None" = None) -> Actor:
    """Tell who sent `request`: the token where one was used, else the signed-in user."""
    address, request_id = client_address(request), getattr(request, "request_id", "")
    if token is not None:
        return Actor(kind="token", key=str(token.pk), text=str(token), address=address, request_id=request_id)
    user = request.user
    return Actor(kind="user", key=str(user.pk), text=user.get_username(), address=address, request_id=request_id)
