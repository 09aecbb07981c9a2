"""A second opinion on SQL: Spark's own parser, and lists of what its trees may be made of.

Where there is a JVM, every text for Spark is parsed (nothing is run) and walked through, all of it,
also what ordinary walks do not see: bodies of WITH, subqueries, window definitions. A class that is
not on the lists is refused, whatever it is. On Spark Connect there is no parser to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

from dqx_dagster.checks.sql.words import CLOCK, FUNCTIONS
from dqx_dagster.spark.binding import Refusal
from dqx_dagster.spark.failures import FAILURES, check_alive, reason

_NODES: Final = frozenset(
    """
    Add Aggregate Alias And Between BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CaseWhen Cast
    Concat CurrentDate CurrentTimestamp Distinct Divide EqualNullSafe EqualTo Except Exists
    Filter GlobalLimit GreaterThan GreaterThanOrEqual ILike In InSubquery IntegralDivide
    Intersect IsNotNull IsNull Join LessThan LessThanOrEqual Like ListQuery LocalLimit Multiply
    Not Offset Or Project RLike Remainder ScalarSubquery Sort SortOrder SpecifiedWindowFrame
    StringLocate StringTrim StringTrimBoth StringTrimLeft StringTrimRight SubqueryAlias
    Substring Subtract TimestampAdd TimestampDiff UnaryMinus Union UnresolvedAlias
    UnresolvedAttribute UnresolvedExtractValue UnresolvedFunction UnresolvedHaving
    UnresolvedInlineTable UnresolvedRelation UnresolvedStar UnresolvedSubqueryColumnAliases
    UnresolvedWith WindowExpression WindowSpecDefinition
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)
_TUPLES: Final = re.compile(r"scala\.(Some|Tuple[0-9]+)")
_SEQUENCES: Final = re.compile(
    r"scala\.collection\.(immutable|mutable)"
    r"\.(\$colon\$colon|List|Vector[0-9]*|ArraySeq[$\w]*|ArrayBuffer|WrappedArray[$\w]*)"
)
_ATOMS: Final = re.compile(
    r"scala\.(None|collection\.immutable\.Nil|Enumeration\$Val)\$?"
    r"|java\.(lang\.\w+|math\.\w+|util\.(Optional|UUID))"
    r"|org\.apache\.spark\.sql\.(types|util)\.\w+\$?"
    r"|org\.apache\.spark\.unsafe\.types\.\w+"
    r"|org\.apache\.spark\.sql\.catalyst\.AliasIdentifier"
    r"|org\.apache\.spark\.sql\.catalyst\.plans\.(\w+\$|UsingJoin|logical\.JoinHint\$?)"
    r"|org\.apache\.spark\.sql\.catalyst\.plans\.logical\.(LocalRelation|OneRowRelation\$?)"
    r"|org\.apache\.spark\.sql\.catalyst\.expressions\.(ExprId|Literal|NumericEvalContext)"
    r"|org\.apache\.spark\.sql\.catalyst\.expressions\.(Ascending|Descending|NullsFirst|NullsLast"
    r"|CurrentRow|RowFrame|RangeFrame|UnboundedPreceding|UnboundedFollowing|UnspecifiedFrame)\$"
)
"""What holds no expressions: constants, types, names, kinds of joins and orders."""

_CALLED: Final = FUNCTIONS | CLOCK | {"between"}  # operators that Spark's parser makes calls of
_RELATION: Final = re.compile(r"dqx_[tc][0-9]+")


def check_query(spark: SparkSession, text: str) -> None:
    """Raise `Refusal` where Spark reads anything in a query that is not on the lists."""
    _check(spark, "parsePlan", text)


def check_expression(spark: SparkSession, text: str) -> None:
    """The same for an expression."""
    _check(spark, "parseExpression", text)


def _check(spark: SparkSession, parse: str, text: str) -> None:
    session = getattr(spark, "_jsparkSession", None)
    if session is None:  # Spark Connect
        return
    try:
        tree = getattr(session.sessionState().sqlParser(), parse)(text)
        refused = next(_refused(tree), None)
    except FAILURES as error:
        check_alive(spark, error)
        raise Refusal(f"Spark cannot parse the query: {reason(error)}") from None
    if refused:
        raise Refusal(f"the query was refused: Spark reads {refused} in it")


def _refused(found: Any) -> Iterator[str]:
    """What is not on the lists, in this object and all that it holds."""
    if not isinstance(found, JavaObject):  # texts, numbers and booleans arrive as Python's
        return
    name = str(found.getClass().getName())
    if _TUPLES.fullmatch(name):
        for part in _parts(found):
            yield from _refused(part)
    elif _SEQUENCES.fullmatch(name):
        for item in _items(found):
            yield from _refused(item)
    elif not _ATOMS.fullmatch(name):
        node = name.rpartition(".")[2]
        if not name.startswith("org.apache.spark.sql.catalyst.") or node not in _NODES:
            yield node
            return
        yield from _refused_by_name(found, node)
        for part in _parts(found):
            yield from _refused(part)


def _parts(product: JavaObject) -> Iterator[Any]:
    return (product.productElement(index) for index in range(product.productArity()))


def _items(sequence: JavaObject) -> Iterator[Any]:
    return (sequence.apply(index) for index in range(sequence.size()))


def _refused_by_name(found: JavaObject, node: str) -> Iterator[str]:
    if node == "UnresolvedFunction":
        name = ".".join(map(str, _items(found.nameParts())))
        if name.lower() not in _CALLED:
            yield f"the function {name}"
    if node == "UnresolvedRelation":
        name = ".".join(map(str, _items(found.multipartIdentifier())))
        if not _RELATION.fullmatch(name):
            yield f"the table {name}"
