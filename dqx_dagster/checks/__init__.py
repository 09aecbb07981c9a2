"""What may be asked of a table, and what an answer means. Pure: neither Spark nor Dagster."""
