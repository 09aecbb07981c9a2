"""Spark's types: the words in which schemas are compared, and what can be done with values."""

from __future__ import annotations

from pyspark.sql import types as T  # noqa: N812 - the name that everybody knows

from dqx_dagster.checks.schema import ActualType


def actual_type(type_: T.DataType) -> ActualType:
    """The type of a column, with the types inside it."""
    text = type_.simpleString()
    match type_:
        case T.ArrayType():
            return ActualType("array", text, items=actual_type(type_.elementType))
        case T.MapType():
            value, key = actual_type(type_.valueType), actual_type(type_.keyType)
            return ActualType("map", text, items=value, key=key)
        case T.StructType():
            fields = tuple((field.name, actual_type(field.dataType)) for field in type_.fields)
            return ActualType("struct", text, fields=fields)
        case _:
            return ActualType(text.partition("(")[0], text)


def actual_types(schema: T.StructType) -> dict[str, ActualType]:
    """The types of a table's columns."""
    return {field.name: actual_type(field.dataType) for field in schema.fields}


def is_groupable(type_: T.DataType) -> bool:
    """Whether Spark can tell equal values from others, and hash them."""
    match type_:
        case T.ArrayType():
            return is_groupable(type_.elementType)
        case T.StructType():
            return all(is_groupable(field.dataType) for field in type_.fields)
        case _:
            atomic = isinstance(type_, T.AtomicType | T.NullType)
            return atomic and type_.simpleString() not in ("variant", "interval")
