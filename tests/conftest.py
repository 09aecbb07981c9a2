"""Puts this folder on the path, so that every test can import the package `oracle`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
