"""YAML → typed contracts. Knows neither Spark nor Dagster, nor what a check measures."""
