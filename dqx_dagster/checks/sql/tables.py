"""The tables of a query → those of the contracts that were loaded together, under names of our own.

Every table and every common table expression gets a name that no catalog has. What the author
called them stays as their alias. So a name that was not resolved here leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.guard import CTE, TABLE
from dqx_dagster.checks.sql.placeholders import TABLE_WORDS, placeholder
from dqx_dagster.checks.sql.source import SqlError
from dqx_dagster.contract.model import Contract
from dqx_dagster.errors import did_you_mean

_DEFAULT_SCHEMAS: Final = frozenset({"public", "dbo", "main", "default"})
_QUALIFIERS: Final = ("catalog", "database", "schema", "project", "dataset")


@dataclass(frozen=True, slots=True)
class Tables:
    """The contracts whose tables a query reads: its own first, whether it is read or not."""

    read: tuple[Contract, ...]

    @property
    def others(self) -> tuple[str, ...]:
        """The datasets that it reads besides its own."""
        return tuple(contract.dataset for contract in self.read[1:])

    def of(self, table: exp.Table) -> Contract | None:
        """The contract of a table in the resolved tree; None for a common table expression."""
        names = {TABLE.format(index): contract for index, contract in enumerate(self.read)}
        return names.get(table.name)


def resolve_tables(tree: exp.Expr, contract: Contract) -> Tables:
    """Rename all tables in the tree; raises `SqlError` where one is not of these contracts."""
    read = [contract]
    renamed: list[tuple[exp.Table, str]] = []
    ctes = {id(cte): CTE.format(index) for index, cte in enumerate(tree.find_all(exp.CTE))}
    for cte in tree.find_all(exp.CTE):
        _check_cte(cte, contract)
    for table in tree.find_all(exp.Table):
        if (defined := _visible(table)) is not None:
            renamed.append((table, ctes[id(defined)]))
            continue
        found = _find(table, contract)
        if found.dataset not in (each.dataset for each in read):
            read.append(found)
        place = [each.dataset for each in read].index(found.dataset)
        renamed.append((table, TABLE.format(place)))
    for table, name in renamed:
        _rename(table, name, own_name(contract))
    for cte in tree.find_all(exp.CTE):
        cte.args["alias"].set("this", exp.to_identifier(ctes[id(cte)], quoted=True))
    return Tables(tuple(read))


def own_name(contract: Contract) -> str:
    """What a query's own table is called where a placeholder stands for it."""
    return contract.object_name or contract.dataset.rpartition(".")[2]


def _rename(table: exp.Table, name: str, own: str) -> None:
    if not table.alias:
        called = own if placeholder(table.name) else table.name
        table.set("alias", exp.TableAlias(this=exp.to_identifier(called, quoted=True)))
    for part in ("db", "catalog"):
        table.set(part, None)
    table.set("this", exp.to_identifier(name, quoted=True))


def _check_cte(cte: exp.CTE, contract: Contract) -> None:
    if cte.args["alias"].columns:
        text = f"name the columns of '{cte.alias}' inside its query, not behind its name"
        raise SqlError(text, node=cte.args["alias"])
    if not isinstance(cte.this, exp.Query):
        raise SqlError("WITH is for queries only", "sql-refused", node=cte)
    if any(_matches((cte.alias,), each) for each in _known(contract)):
        text = f"'{cte.alias}' is the name of a table; call the query after WITH something else"
        raise SqlError(text, node=cte.args["alias"])


def _visible(table: exp.Table) -> exp.CTE | None:
    """The common table expression that a table is, by the scopes that it stands in.

    A query sees what its own WITH defines, an expression only what stands before it.
    """
    if table.args.get("db") or not isinstance(table.this, exp.Identifier):
        return None
    below: exp.Expr = table
    above = table.parent
    while above is not None:
        found = above.args.get("with_")
        defined = found.expressions if found is not None and found is not below else []
        if isinstance(above, exp.With):
            defined = above.expressions[: above.expressions.index(below)]
        for cte in reversed(defined):
            if isinstance(cte, exp.CTE) and cte.alias.lower() == table.name.lower():
                return cte
        below, above = above, above.parent
    return None


def _known(contract: Contract) -> tuple[Contract, ...]:
    """Its own contract first, then the others of the file, then those of the directory."""
    others = [c for c in contract.siblings if c.dataset != contract.dataset]
    here = [c for c in others if c.origin.file == contract.origin.file]
    return (contract, *here, *(c for c in others if c not in here))


def _find(table: exp.Table, contract: Contract) -> Contract:
    parts = tuple(part.name for part in table.parts)
    if not all(isinstance(part, exp.Identifier) for part in table.parts):
        raise SqlError(
            "a function in the place of a table is not allowed", "sql-refused", node=table
        )
    if len(parts) == 1 and placeholder(parts[0]) in TABLE_WORDS:
        return contract
    known = _known(contract)
    for group in _by_nearness(known, contract):
        found = [each for each in group if _matches(parts, each)]
        if len(found) > 1:
            names = " or ".join(each.dataset for each in found)
            raise SqlError(f"'{'.'.join(parts)}' may be {names}", "unknown-table", node=table)
        if found:
            return found[0]
    named = list(dict.fromkeys(name for c in known for name in (c.object_name, c.dataset) if name))
    hint = did_you_mean(".".join(parts), named) or f"; it may read {', '.join(named[:5])}"
    text = f"no contract here has a table '{'.'.join(parts)}'{hint}"
    raise SqlError(text, "unknown-table", node=table)


def _by_nearness(known: tuple[Contract, ...], contract: Contract) -> Iterator[tuple[Contract, ...]]:
    yield (contract,)
    yield tuple(c for c in known[1:] if c.origin.file == contract.origin.file)
    yield tuple(c for c in known[1:] if c.origin.file != contract.origin.file)


def _matches(parts: tuple[str, ...], contract: Contract) -> bool:
    """Whether a name means this table: in full, without its schema, or with the server's schema."""
    written = ".".join(parts).lower()
    for name in (contract.dataset.lower(), contract.object_name.lower()):
        if not name:
            continue
        if written == name or name.endswith(f".{written}"):
            return True
        above = written.removesuffix(f".{name}")
        if above != written and set(above.split(".")) <= _schemas(contract):
            return True
    return False


def _schemas(contract: Contract) -> set[str]:
    named = (server.get(key) for server in contract.servers for key in _QUALIFIERS)
    return {str(name).lower() for name in named if name} | _DEFAULT_SCHEMAS
