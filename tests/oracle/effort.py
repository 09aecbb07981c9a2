"""How much the random tests do: `DQX_EFFORT=5` draws five times as much, as `make soak` does."""

from __future__ import annotations

import os
from typing import Final

EFFORT: Final = int(os.environ.get("DQX_EFFORT", "1"))
