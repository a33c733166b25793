from typing import Any

from django.core.management.base import BaseCommand, CommandError

from hooks import runtime
from hooks.engine.sandbox import attacks
from hooks.engine.sandbox.selftest import selftest


class Command(BaseCommand):
    help = "Tries the sandbox: its self-test and a short list of attacks. Exit status 1 when one of them gets through."

    def handle(self, *args: Any, **options: Any) -> None:
        sandbox, bad = runtime.sandbox(), 0
        checks = selftest(sandbox)
        for check in checks:
            bad += self._row("self-test", check.check, check.ok, check.detail)
        if not checks[0].ok:
            raise CommandError("The sandbox does not run, so command hooks are errors (sandbox_unavailable).")
        for attack in attacks.SHORT:
            escaped = attacks.run(sandbox, attack)
            bad += self._row(attack.group, attack.name, not escaped, escaped or attack.contained)
        if bad:
            raise CommandError(f"{bad} of {len(checks) + len(attacks.SHORT)} checks failed.")
        self.stdout.write(f"All {len(checks) + len(attacks.SHORT)} checks hold.")

    def _row(self, group: str, name: str, good: bool, detail: str) -> int:
        self.stdout.write(f"{'ok' if good else 'FAILED':7}{group:14}{name:26}{' '.join(detail.split())[:160]}")
        return 0 if good else 1
