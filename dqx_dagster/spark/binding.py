"""Columns of the algebra → columns of a DataFrame, found in its schema.

Names are resolved here and not by Spark: quoted, so that dots, spaces, backticks and `${x}` are
ordinary characters, and with a clear refusal where a name fits several columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql import types as T  # noqa: N812

from dqx_dagster.errors import did_you_mean
from dqx_dagster.metrics.metric import Unmeasurable
from dqx_dagster.metrics.value import Column


class Refusal(Exception):  # noqa: N818 - becomes the reason of an Unmeasurable
    """Something cannot be measured on this table. The text never contains data."""

    @property
    def unmeasurable(self) -> Unmeasurable:
        """The refusal as a measurement."""
        return Unmeasurable(str(self))


@dataclass(frozen=True, slots=True)
class Bound:
    """A column that exists, and its type."""

    column: SparkColumn
    type: T.DataType
    padded: bool = False  # of a fixed length, filled up with spaces


@dataclass(frozen=True, slots=True)
class Binding:
    """A table's schema, and how names are found in it."""

    schema: T.StructType
    case_sensitive: bool = False

    @classmethod
    def of(cls, table: DataFrame) -> Binding:
        """The binding for a table, which finds names as its session does."""
        sensitive = table.sparkSession.conf.get("spark.sql.caseSensitive", "false")
        return cls(table.schema, sensitive == "true")

    def bind(self, column: Column) -> Bound:
        """The column that is meant; raises `Refusal` where there is none, or several."""
        fields, quoted, found = self.schema, [], None
        for depth, name in enumerate(column.path):
            if found is not None:
                inner = found.dataType
                if not isinstance(inner, T.StructType):
                    above = ".".join(column.path[:depth])
                    raise Refusal(f"'{above}' has no fields: it is {inner.simpleString()}")
                fields = inner
            found = self._field(fields, name, column)
            quoted.append(f"`{found.name.replace('`', '``')}`")
        if found is None:
            raise Refusal("the rule names no column")
        return Bound(F.col(".".join(quoted)), found.dataType, _is_padded(found))

    def _field(self, within: T.StructType, name: str, column: Column) -> T.StructField:
        exact = [field for field in within.fields if field.name == name]
        loose = [field for field in within.fields if field.name.lower() == name.lower()]
        found = exact if self.case_sensitive else loose
        if not found:
            hint = did_you_mean(name, within.names)
            raise Refusal(f"column '{column}' is not in the data{hint}")
        if len(found) > 1:
            raise Refusal(f"column '{column}' is ambiguous: {', '.join(f.name for f in found)}")
        return found[0]


def _is_padded(field: T.StructField) -> bool:
    """Whether the column of the catalog is a CHAR, which Spark shows as a plain string."""
    written = field.metadata.get("__CHAR_VARCHAR_TYPE_STRING", "")
    return isinstance(field.dataType, T.CharType) or str(written).startswith("char(")
