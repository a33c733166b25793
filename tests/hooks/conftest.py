from tests.shell import *  # noqa: F403
