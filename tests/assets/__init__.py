"""Tests of what Dagster does with contracts; a package, so that they can share a project."""
