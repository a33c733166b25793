"""What can be done with hooks. Views, API, tasks and commands call these, and these alone write.

Who does it goes in as `by=`. Each change of the configuration leaves an audit event in its own transaction.
"""

from hooks.services.configuration import (
    Saved,
    check_precondition,
    delete_hook,
    etag,
    find_hook,
    put_hook,
    save_hook,
    set_enabled,
)
from hooks.services.evaluation import check, evaluate
from hooks.services.importing import Report, import_hooks
from hooks.services.lists import are_same, hook_lists, replace_lists
from hooks.services.liveoutput import printed
from hooks.services.ordering import reorder_hooks
from hooks.services.patching import patch_hook
from hooks.services.replaying import find_to_replay
from hooks.services.requests import read_check, read_event
from hooks.services.retention import purge
from hooks.services.rollups import roll_up
from hooks.services.samples import delete_sample, find_sample, read_sample, save_sample
from hooks.services.testing import execute_test_run
from hooks.services.testruns import (
    body_of,
    cancel_test_run,
    create_test_run,
    describe_test_run,
    end_lost,
    find_test_run,
    resend,
    runs_of,
    wait_for,
)
from hooks.services.threads import hooks_of_thread, set_active
from hooks.services.tools import known_tools
from hooks.services.versions import find_version, restore_hook, versions_of

__all__ = [
    "Report",
    "Saved",
    "are_same",
    "body_of",
    "cancel_test_run",
    "check",
    "check_precondition",
    "create_test_run",
    "delete_hook",
    "delete_sample",
    "describe_test_run",
    "end_lost",
    "etag",
    "evaluate",
    "execute_test_run",
    "find_hook",
    "find_sample",
    "find_test_run",
    "find_to_replay",
    "find_version",
    "hook_lists",
    "hooks_of_thread",
    "import_hooks",
    "known_tools",
    "patch_hook",
    "printed",
    "purge",
    "put_hook",
    "read_check",
    "read_event",
    "read_sample",
    "reorder_hooks",
    "replace_lists",
    "resend",
    "restore_hook",
    "roll_up",
    "runs_of",
    "save_hook",
    "save_sample",
    "set_active",
    "set_enabled",
    "versions_of",
    "wait_for",
]
