"""A small shop: Spark assets that write Parquet, and the contracts that they have to keep."""
