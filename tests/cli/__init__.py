"""Tests of the command line; a package, so that they can share the contracts below."""
