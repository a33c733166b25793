"""Started as a directory, `python -I stack`, from any place."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stack.main import main

sys.exit(main())
