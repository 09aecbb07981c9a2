"""The algebra: values, predicates, aggregates, metrics. Plain comparable data, stdlib only."""
