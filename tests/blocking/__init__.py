"""Blocking across runs, under test."""
