"""Words of pages that are written down at import and said later, in the language of whoever looks.

`_` is gettext_lazy, typed as the text that it stands for: it formats and compares as one;
str.join needs str() of it.
"""

from collections.abc import Callable
from typing import cast

from django.utils.translation import gettext_lazy

_ = cast("Callable[[str], str]", gettext_lazy)
