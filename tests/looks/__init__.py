"""Tests of what people see in Dagster's UI; a package, so that the screenshots share its parts."""
