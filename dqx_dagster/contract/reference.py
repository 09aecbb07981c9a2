"""References of ODCS to columns, in this file or another one.

>>> parse_reference("orders.id")
Reference(names=('orders', 'id'), file=None, by_id=False)
>>> parse_reference("shop.yaml#/schema/orders_tbl/properties/id_field")
Reference(names=('orders_tbl', 'id_field'), file='shop.yaml', by_id=True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dqx_dagster.contract.columns import find_property, resolve_column
from dqx_dagster.contract.model import Property

FORMS = "like table.column or schema/table_id/properties/column_id"
MAX_PARTS = 8
"""Of a table's name: catalog, schema and table are three."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a column is said to be: in which table, and where in it."""

    names: tuple[str, ...]  # of the table, then of its columns; by name the table may have several
    file: str | None = None
    by_id: bool = False

    @property
    def readings(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Every table that may be meant, with the columns in it: a table's name may have dots.

        >>> list(Reference(("a", "b", "c")).readings)
        [('a', ('b', 'c')), ('a.b', ('c',))]
        """
        parts = 1 if self.by_id else min(len(self.names) - 1, MAX_PARTS)
        for count in range(1, parts + 1):
            yield ".".join(self.names[:count]), self.names[count:]

    def path(
        self, properties: tuple[Property, ...], columns: tuple[str, ...]
    ) -> tuple[str, ...] | None:
        """The path of one of the columns that it may mean; None where there is no such column."""
        if not self.by_id:
            return resolve_column(properties, ".".join(columns))
        found: list[str] = []
        for name in columns:
            by_id = next((p for p in properties if p.id == name), None)
            item = by_id or find_property(properties, name)
            if item is None:
                return None
            found.append(item.column)
            properties = item.properties
        return tuple(found)


def parse_reference(text: str) -> Reference | None:
    """What a text refers to; None where it is not the form of a reference to a column."""
    file, hash_, place = text.rpartition("#")
    if "/" not in place:
        names = place.split(".")
        return Reference(tuple(names), file if hash_ else None) if len(names) > 1 else None
    parts = place.removeprefix("/").split("/")
    sections, names = parts[::2], parts[1::2]
    is_column = len(names) > 1 and sections == ["schema", *["properties"] * (len(names) - 1)]
    return Reference(tuple(names), file if hash_ else None, by_id=True) if is_column else None
