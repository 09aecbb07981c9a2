"""Tests of reading contracts; a package, so that they can share the contracts below."""
