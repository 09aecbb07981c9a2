"""Alerts: what became of contract checks in Dagster's event log → news for a callback."""
