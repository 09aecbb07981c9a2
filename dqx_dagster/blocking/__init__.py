"""Blocking across runs: what stands in the way of an asset, and assets that look for it."""
