from tests.pages import *  # noqa: F403
from tests.shell import *  # noqa: F403
