"""`type: sql`: the query of a contract → Spark SQL that is known to be harmless, or an error.

The author's text never reaches Spark. It is parsed (`source`), its names are resolved against the
contract (`tables`, `columns`), and Spark SQL is written anew from the tree. That text may hold only
words, nodes and tables that are on a list (`words`, `tokens`, `guard`). What a single pass over the
table can answer joins the shared pass (`fusion`); the rest runs as a query of its own.

Importing this package imports sqlglot, so nothing imports it before a contract has such a rule.
"""
