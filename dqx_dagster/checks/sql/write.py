"""A tree → Spark SQL. All names are quoted, comments are gone, and what Spark lacks is an error."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.schema import MappingSchema

from dqx_dagster.checks.sql.guard import TABLE
from dqx_dagster.checks.sql.source import SPARK, Source, SqlError, foreign
from dqx_dagster.checks.sql.tables import Tables
from dqx_dagster.checks.sql.tokens import refused
from dqx_dagster.checks.sql.words import AGGREGATES, FUNCTIONS
from dqx_dagster.errors import did_you_mean

_NAME: Final = re.compile(r"(\w+)\(")
_TYPES: Final = {
    "integer": "BIGINT",
    "int": "BIGINT",
    "number": "DOUBLE",
    "float": "DOUBLE",
    "decimal": "DECIMAL(38,18)",
    "string": "STRING",
    "boolean": "BOOLEAN",
    "bool": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
"""Declared types in the words of SQL: whole numbers are divided differently in some dialects."""


def spark_sql(tree: exp.Expr) -> str:
    """The tree as Spark SQL; raises `SqlError` where Spark has no such thing."""
    try:
        return tree.sql(SPARK, identify=True, comments=False, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError as error:
        text = str(error).partition("\n")[0].rstrip(".")
        raise SqlError(f"it cannot be said in Spark SQL: {text}", "sql-refused") from None
    except RecursionError:
        raise SqlError("it is nested too deeply") from None


def add_types(tree: exp.Expr, tables: Tables, dialect: str) -> None:
    """Note the type of everything, as far as the contracts declare it."""
    declared = {
        TABLE.format(index): {
            item.column: _TYPES[item.type.name]
            for item in contract.properties
            if item.type and item.type.name in _TYPES
        }
        for index, contract in enumerate(tables.read)
    }
    schema = MappingSchema(
        {name: columns for name, columns in declared.items() if columns},
        dialect=SPARK,
        normalize=False,
    )
    annotate_types(tree, schema, dialect=dialect)


def check_functions(tree: exp.Expr, source: Source) -> None:
    """Point at the innermost function that Spark SQL may not hold here."""
    if refused(spark_sql(tree)) is None:
        return
    for node in reversed(list(tree.find_all(exp.Func))):
        if word := refused(spark_sql(node)):
            called = source.written(node) or word
            hint = did_you_mean(called.lower(), FUNCTIONS) or foreign(called)
            text = f"the function {called} is not allowed{hint}"
            raise SqlError(text, "sql-refused", node=node)


def spark_name(node: exp.Expr) -> str:
    """What Spark calls a function, in lower case; empty for everything else."""
    found = _NAME.match(spark_sql(node)) if isinstance(node, exp.Func) else None
    return found[1].lower() if found else ""


def is_aggregate(node: exp.Expr) -> bool:
    """Whether it makes one value of many rows."""
    return spark_name(node) in AGGREGATES
