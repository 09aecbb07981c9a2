"""The algebra over plain rows, and the cases that it and Spark must agree on.

* `values`, `predicates`, `algebra`: what every value, predicate and aggregate means, as simply as
  Python can say it;
* `ddl`: Spark's type strings, and values of a case file in those types;
* `cases`: the files of `tests/cases`.
"""
