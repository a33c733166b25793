"""From rows to specs, envelopes and list items, and back."""

from typing import Any

from hooks.engine.envelope import KIND
from hooks.engine.parsing import Parsed, parse
from hooks.engine.results import Candidate
from hooks.engine.spec import OPTIONS, HookSpec
from hooks.models import Hook

INVALID = "What is stored is no valid hook any more: {}"


def parse_stored(hook: Hook) -> Parsed:
    """Read a stored hook again by today's rules (R9)."""
    raw: dict[str, Any] = {**hook.options, "enabled": hook.enabled, "description": hook.description}
    if hook.name:
        raw["name"] = hook.name
    if hook.custom_agent_id is None:
        return parse({**raw, "activationMode": hook.activation_mode}, event=hook.event, level="agent")
    return parse(raw, event=hook.event, level="customAgent")


def candidate(hook: Hook) -> Candidate:
    """Make what the pipeline takes. A hook that no longer parses stays in, as an error of its own."""
    parsed = parse_stored(hook)
    said = "; ".join(f"{fault.target} {fault.message}" for fault in parsed.faults)
    return Candidate(
        name=hook.label,
        level="agent" if hook.custom_agent_id is None else "customAgent",
        position=hook.position,
        spec=parsed.spec,
        fault="" if parsed.spec else INVALID.format(said),
        fail_mode="block" if hook.options.get("failMode") == "block" else "allow",
        version=hook.version,
        content_hash=hook.content_hash,
        key=hook.pk,
    )


def envelope(hook: Hook) -> dict[str, Any]:
    """Show an agent-level hook as the API does."""
    spec = parse_stored(hook).spec
    options = spec.all_options() if spec else {option: hook.options.get(option) for option in OPTIONS}
    # What has no effect is shown only where it was set, so that an answer can be sent back without a warning.
    idle = [] if hook.type == "prompt" else ["model", "maxRejections"]
    idle += [] if hook.event == "Stop" else ["maxRejections"]
    options |= {option: None for option in idle if option not in hook.options}
    return {
        "name": hook.name,
        "type": KIND,
        "tags": hook.tags,
        "owner": hook.owner,
        "properties": {
            "eventType": hook.event,
            "activationMode": hook.activation_mode,
            "description": hook.description,
            "enabled": hook.enabled,
            "hook": options,
        },
        "version": hook.version,
        "contentHash": hook.content_hash,
    }


def document(hook: Hook) -> dict[str, Any]:
    """Show an agent-level hook as it is written: the envelope with the set options only, without version and hash."""
    shown = envelope(hook)
    del shown["version"], shown["contentHash"]
    shown["properties"]["hook"] = hook.options
    return shown


def item(hook: Hook) -> dict[str, Any]:
    """Show a custom agent's hook as an item of `spec.hooks.{Event}`; our own keys only where they are set."""
    own: dict[str, Any] = {"name": hook.name} if hook.name else {}
    if hook.description:
        own["description"] = hook.description
    if not hook.enabled:
        own["enabled"] = False
    return {**own, **hook.options}


def item_of(spec: HookSpec) -> dict[str, Any]:
    """Show what `item` will once `spec` is stored."""
    hook = Hook()
    apply(hook, spec)
    return item(hook)


def apply(hook: Hook, spec: HookSpec) -> None:
    """Set on the row what `spec` says; the caller saves it."""
    hook.name = spec.name or ""
    hook.event = spec.event
    hook.type = spec.type
    hook.activation_mode = spec.activation_mode
    hook.description = spec.description
    hook.enabled = spec.enabled
    hook.options = spec.options()
    hook.content_hash = spec.content_hash
