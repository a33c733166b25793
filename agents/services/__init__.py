"""What can be done with agents. These alone write; who does it goes in as `by=`."""

from agents.services.agents import create_agent, default_agent
from agents.services.bundles import Loaded, dump_bundle, etag_of, load_bundle
from agents.services.custom import (
    SavedAgent,
    delete_custom_agent,
    document_of,
    envelope_of,
    find_custom_agent,
    save_custom_agent,
    set_hooks,
)
from agents.services.patching import patch_custom_agent

__all__ = [
    "Loaded",
    "SavedAgent",
    "create_agent",
    "default_agent",
    "delete_custom_agent",
    "document_of",
    "dump_bundle",
    "envelope_of",
    "etag_of",
    "find_custom_agent",
    "load_bundle",
    "patch_custom_agent",
    "save_custom_agent",
    "set_hooks",
]
