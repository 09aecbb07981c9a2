"""Options for a Java that lives for seconds, as those of tests do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

_ARCHIVE: Final = Path(sys.prefix) / "spark.jsa"
_SMALL: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compile fast rather than well, and one thread for garbage."""

JAVA_OPTIONS: Final = (
    f"{_SMALL} -XX:SharedArchiveFile={_ARCHIVE} -Xlog:disable" if _ARCHIVE.exists() else _SMALL
)
"""With the archive that `make test` writes Spark starts in half the time."""
