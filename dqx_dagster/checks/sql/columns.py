"""The columns of a query → those that the contracts declare, each with the table that it is of.

A column may be called by its name or its physical name, as everywhere in a contract. One that no
table of the query declares is an error: a typo must not wait for data. Where a table declares no
columns at all, nothing can be said about them, and Spark decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dqx_dagster.checks.sql.placeholders import COLUMN_WORDS, TABLE_WORDS, placeholder
from dqx_dagster.checks.sql.source import SqlError
from dqx_dagster.checks.sql.tables import Tables, own_name
from dqx_dagster.contract.model import Property
from dqx_dagster.errors import did_you_mean

_FUNCTIONS: Final = frozenset(
    """
    current_catalog current_database current_date current_path current_schema current_time
    current_timestamp current_user grouping__id localtime localtimestamp session_user user
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)
"""What Spark calls as a function, also in backticks, where no column has the name."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the names in a SELECT may mean."""

    select: exp.Select
    relations: tuple[_Relation, ...]
    results: frozenset[str]  # what its results are called, in lower case


@dataclass(frozen=True, slots=True)
class _Relation:
    """Something in FROM or JOIN: what it is called, and its columns; None where nobody knows."""

    alias: str
    columns: tuple[Property | str, ...] | None

    def find(self, name: str) -> Property | str | None:
        """The column of this name: as it is stored first, because queries speak about that."""
        for told in (_stored, _declared):
            for column in self.columns or ():
                if told(column).lower() == name.lower():
                    return column
        return None


def resolve_columns(tree: exp.Expr, tables: Tables, here: tuple[str, ...] | None) -> None:
    """Give every column its table and stored name, in the tree.

    `here` is the column that the rule stands at. Raises `SqlError` for an unknown column.
    """
    scopes = {id(select): _scope(select, tables) for select in tree.find_all(exp.Select)}
    for column in list(tree.find_all(exp.Column)):
        if isinstance(column.this, exp.Identifier):  # and no star
            around = [scopes[id(select)] for select in _selects(column)]
            _resolve(column, _parts(column, tables, here), around)
    for identifier in tree.find_all(exp.Identifier):
        if placeholder(identifier.name):
            text = "a placeholder stands where no name of a table or column can be"
            raise SqlError(text, node=identifier)


def _scope(select: exp.Select, tables: Tables) -> _Scope:
    results = (item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias))
    return _Scope(select, tuple(_relations(select, tables)), frozenset(results))


def _parts(column: exp.Column, tables: Tables, here: tuple[str, ...] | None) -> list[str]:
    """The names that a column is made of; those of the rule for its placeholders."""
    own = own_name(tables.read[0])
    parts = [own if placeholder(p.name) in TABLE_WORDS else p.name for p in column.parts]
    word = placeholder(column.name)
    if word not in COLUMN_WORDS:
        return parts
    if here is None:
        text = f"{{{word}}} needs a column: move the rule to a property"
        raise SqlError(text, node=column)
    return [*parts[:-1], *here]


def _relations(select: exp.Select, tables: Tables) -> Iterator[_Relation]:
    first = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or ()]
    for source in [*([first.this] if first else []), *joined]:
        yield _Relation(source.alias_or_name, _columns(source, tables))


def _columns(source: exp.Expr, tables: Tables) -> tuple[Property | str, ...] | None:
    alias = source.args.get("alias")
    if alias is not None and alias.columns:
        return tuple(column.name for column in alias.columns)
    match source:
        case exp.Table():
            contract = tables.of(source)
            if contract is None:
                return _outputs(_definition(source), tables)
            stored = tuple(item for item in contract.properties if item.physical)
            return stored or None
        case exp.Subquery() if isinstance(source.this, exp.Query):
            return _outputs(source.this, tables)
        case exp.Values():
            return None
        case _:
            text = "parentheses in FROM are for queries only"
            raise SqlError(text, node=source)


def _definition(table: exp.Table) -> exp.Expr:
    """The query of a common table expression. Their names are unique by now."""
    ctes = table.root().find_all(exp.CTE)
    found: exp.Expr = next(cte.this for cte in ctes if cte.alias == table.name)
    return found


def _outputs(query: exp.Expr, tables: Tables) -> tuple[Property | str, ...] | None:
    """What the columns of a query's result are called; None where a star hides them."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    assert isinstance(query, exp.Select)
    found: list[Property | str] = []
    for item in query.expressions:
        if not item.is_star:
            found.append(item.alias_or_name)
            continue
        of = item.args.get("table")
        for relation in _relations(query, tables):
            if of is None or relation.alias.lower() == of.name.lower():
                if relation.columns is None:
                    return None
                found += relation.columns
    return tuple(found)


def _resolve(column: exp.Column, parts: list[str], scopes: list[_Scope]) -> None:
    alone = len(parts) == 1
    if alone and scopes and _is_result(column, scopes[0]):
        return
    unknown = not scopes  # the order of a union: Spark knows the names of its results
    for scope in scopes:
        unknown = unknown or any(relation.columns is None for relation in scope.relations)
        meant = _meant(scope.relations, parts)
        found = [(r, match, rest) for r, rest in meant if (match := r.find(rest[0]))]
        if not found:
            continue
        relation, match, rest = found[0]
        bare = len(rest) == len(parts)
        shared = bare and _is_shared(scope.select, rest[0])
        if bare and len(found) > 1 and not shared:
            names = " or ".join(f"{other.alias}.{rest[0]}" for other, _, _ in found)
            raise SqlError(f"'{'.'.join(parts)}' may be {names}", "unknown-column", node=column)
        # Beside a table that nobody knows the columns of, only Spark can tell whose it is.
        plain = shared or (bare and unknown) or not relation.alias
        fields = list(_fields(parts, column, match, rest[1:]))
        _set(column, None if plain else relation.alias, _stored(match), fields, rest[-1])
        return
    if alone and column.name.lower() in _FUNCTIONS:
        text = (
            f"'{column.name}' is not allowed: no column is called so, and the function is Spark's"
        )
        raise SqlError(text, "sql-refused", node=column)
    if not unknown and not (alone and parts[0].lower() in scopes[0].results):
        around = [relation for scope in scopes for relation in scope.relations]
        raise _unknown(parts, column, around)


def _selects(column: exp.Column) -> Iterator[exp.Select]:
    """The queries that a column stands in, the innermost first.

    What stands in FROM does not see the tables beside it.
    """
    below: exp.Expr = column
    above = column.parent
    while above is not None:
        if isinstance(above, exp.Select) and not isinstance(below, exp.From | exp.With):
            yield above
        below, above = above, above.parent


def _meant(
    relations: tuple[_Relation, ...], parts: list[str]
) -> Iterator[tuple[_Relation, list[str]]]:
    """What the parts of a name may mean: `table.column.field`, then `column.field`."""
    for size in range(len(parts) - 1, 0, -1):
        for relation in relations:
            if relation.alias.lower() == parts[size - 1].lower():
                yield relation, parts[size:]
    for relation in relations:
        yield relation, parts


def _is_result(column: exp.Column, scope: _Scope) -> bool:
    """Whether it stands where the name of a result means that result."""
    place = column.find_ancestor(exp.Group, exp.Having, exp.Order, exp.Qualify, exp.Select)
    parts = (scope.select.args.get(key) for key in ("group", "having", "order", "qualify"))
    return column.name.lower() in scope.results and any(place is part for part in parts)


def _is_shared(select: exp.Select, name: str) -> bool:
    """Whether JOIN … USING makes one column of several."""
    using = (u for join in select.args.get("joins") or () for u in join.args.get("using") or ())
    return any(each.name.lower() == name.lower() for each in using)


def _set(column: exp.Column, of: str | None, stored: str, fields: list[str], called: str) -> None:
    """The column as it is stored, with its table, and its fields behind it."""
    new: exp.Expr = exp.column(stored, of, fields=fields, quoted=True)
    for identifier in new.find_all(exp.Identifier):
        identifier.meta.update(column.this.meta)
    is_result = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
    if is_result and new.name != called:
        new = exp.alias_(new, called, quoted=True)
    column.replace(new)


def _fields(
    parts: list[str], column: exp.Column, of: Property | str, names: list[str]
) -> Iterator[str]:
    """The stored names of fields; where a struct declares none, those that are written."""
    for name in names:
        declared = of.properties if isinstance(of, Property) else ()
        found = _Relation("", declared).find(name)
        if found is None and declared:
            raise _unknown(parts, column, [_Relation("", declared)])
        of = found or name
        yield _stored(of)


def _unknown(parts: list[str], column: exp.Column, relations: list[_Relation]) -> SqlError:
    known = [_declared(c) for relation in relations for c in relation.columns or ()]
    text = f"no column '{'.'.join(parts)}' in the contract{did_you_mean(parts[-1], known)}"
    return SqlError(text, "unknown-column", node=column)


def _stored(column: Property | str) -> str:
    return column if isinstance(column, str) else column.column


def _declared(column: Property | str) -> str:
    return column if isinstance(column, str) else column.name
