"""Tests of rules; a package, so that they can share the contracts below."""
