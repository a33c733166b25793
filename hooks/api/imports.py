"""Hook files of other products, turned into agent-level hooks."""

from collections.abc import Mapping
from typing import IO, Any, ClassVar

from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from hooks.engine.errors import Invalid
from hooks.imports import Note
from hooks.imports.document import LIMIT
from portal.api import ApiView, notice
from portal.errors import Malformed
from portal.formats import read


class FileParser(BaseParser):
    """A JSON file as it is, since the import says what is wrong with it in words of its own."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return read(stream, LIMIT)


class ImportsView(ApiView):
    """POST another product's file; answers the hooks made of it and what became of the rest.

    `?product=` names the product, `?filename=` the file's path; without either the content tells whose it is.
    """

    scopes: ClassVar = {"POST": "write"}

    def get_parsers(self) -> list[BaseParser]:
        return [FileParser()]

    def post(self, request: Request) -> Response:
        given, dry_run = request.query_params, self.flag("dryRun")
        try:
            report = services.import_hooks(
                agent=self.agent,
                source=self.body(),
                product=given.get("product"),
                filename=given.get("filename"),
                dry_run=dry_run,
                by=self.by,
            )
        except Invalid as invalid:
            if invalid.faults[0].code == "malformed":
                raise Malformed(invalid.faults[0].message) from None
            raise
        return Response(describe(report), status=201 if report.hooks and not dry_run else 200)


def describe(report: services.Report) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "product": report.product,
        "hooks": report.hooks,
        "unchanged": report.unchanged,
        "notes": [_note(one) for one in report.notes],
    }
    return shown | ({"warnings": [notice(one) for one in report.warnings]} if report.warnings else {})


def _note(one: Note) -> dict[str, Any]:
    return {"path": one.path, "level": one.level, "hook": one.hook, "message": one.message}
