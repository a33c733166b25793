"""What every answer says to browsers, whoever made it: pages, files, the API, errors of last resort."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

# The portal uses none of what a page could ask a browser for, but to put a text on the clipboard.
UNUSED = (
    "accelerometer",
    "autoplay",
    "camera",
    "clipboard-read",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
)
HEADERS = {
    # Pages and answers hold what is private to an agent; files that may be kept say so themselves.
    "Cache-Control": "no-store",
    "Permissions-Policy": ", ".join([*(f"{name}=()" for name in UNUSED), "clipboard-write=(self)"]),
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}


class HeadersMiddleware:
    """Adds what the frameworks' own middlewares have no setting for. What an answer says already, stays."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response
