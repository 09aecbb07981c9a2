"""`guarded`: assets that refuse to be made while a P0 contract check above them has not passed.

Dagster's blocking ends with the run. A guarded asset asks Dagster's event log when it starts, so
that it does not matter which run, which job or which person starts it.
"""

from __future__ import annotations

import copy
import functools
import inspect
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

import dagster as dg

from dqx_dagster.blocking.refusal import refuse_if_blocked
from dqx_dagster.errors import ContractWarning, DefinitionsError

_MARK: Final = "__dqx_dagster_guarded__"
_Guarded = TypeVar("_Guarded", dg.AssetsDefinition, dg.OpDefinition)


def guarded(definition: _Guarded) -> _Guarded:
    """An asset that refuses to be made while a P0 contract check above it has not passed.

    ```python
    @guarded
    @dg.asset(deps=[orders])
    def report() -> None: ...
    ```

    An asset made of a graph is guarded by its ops: those that take its inputs have to be `guarded`.

    Raises:
        DefinitionsError: The asset cannot be guarded.
    """
    if isinstance(definition, dg.OpDefinition):
        return _guarded_op(definition)
    if not definition.is_materializable or not set(definition.dependency_keys):
        return definition  # nobody makes it, or there is nothing above it
    node = definition.node_def
    if isinstance(node, dg.OpDefinition):
        return _with_op(definition, _guarded_op(node))
    assert isinstance(node, dg.GraphDefinition)
    if bare := sorted({op.name for op in _reading_ops(node) if not _is_guarded(op)}):
        # A copy of an op in here would collide with the same op in another graph or job.
        text = f"put @guarded on the ops that take its inputs: {', '.join(bare)}"
        raise DefinitionsError(f"{_names(definition)} is not guarded: {text}")
    return definition


def guard_all(assets: Iterable[Any]) -> list[Any]:
    """Assets of any kind, guarded; a `ContractWarning` names each that cannot be."""
    return list(map(_guarded_if_possible, assets))


def _guarded_if_possible(asset: Any) -> Any:
    problem = f"a {type(asset).__name__} is not guarded: its assets are known when Dagster loads it"
    if isinstance(asset, dg.AssetsDefinition):
        try:
            return guarded(asset)
        except DefinitionsError as error:
            problem = str(error)
    if not isinstance(asset, dg.AssetSpec | dg.SourceAsset):
        warnings.warn(problem, ContractWarning, stacklevel=4)  # where `with_contracts` is called
    return asset


# Dagster has no public way to change what an op does. What is not public is below.


def _reading_ops(graph: dg.GraphDefinition) -> Iterator[dg.OpDefinition]:
    """The ops that take an input of the graph: only they wait for assets, and for checks."""
    for mapping in graph.input_mappings:
        node = graph.node_named(mapping.maps_to.node_name).definition
        if isinstance(node, dg.GraphDefinition):
            yield from _reading_ops(node)
        else:
            assert isinstance(node, dg.OpDefinition)
            yield node


@functools.cache  # one op for many assets stays one: Dagster refuses two of the same name
def _guarded_op(op: dg.OpDefinition) -> dg.OpDefinition:
    if _is_guarded(op):
        return op
    own: Any = op.compute_fn
    new: Any
    if op.is_from_decorator():
        new = own._replace(decorated_fn=_guarded_function(own.decorated_fn))
    else:
        new = _guarded_compute(own)
    made = copy.copy(op)  # and not a new one: its many properties stay whatever they are
    made._compute_fn = new  # noqa: SLF001 - see above
    if not _is_guarded(made):
        raise DefinitionsError(f"op {op.name} cannot be guarded with dagster {dg.__version__}")
    return made


def _is_guarded(op: dg.OpDefinition) -> bool:
    return hasattr(getattr(op.compute_fn, "decorated_fn", op.compute_fn), _MARK)


def _with_op(asset: dg.AssetsDefinition, op: dg.OpDefinition) -> dg.AssetsDefinition:
    # How Dagster itself makes copies of assets, in `with_attributes`.
    made = type(asset).dagster_internal_init(**asset.get_attributes_dict() | {"node_def": op})
    if made.node_def is not op:
        raise DefinitionsError(f"{_names(asset)} cannot be guarded with dagster {dg.__version__}")
    return made


def _names(asset: dg.AssetsDefinition) -> str:
    return "asset " + ", ".join(sorted(key.to_user_string() for key in asset.keys))


def _guarded_compute(function: Callable[..., Any]) -> Callable[..., Any]:
    """For an op without a decorator, whose function takes context and inputs, and iterates."""
    if inspect.isasyncgenfunction(function):
        return _guarded_function(function)

    @functools.wraps(function)
    def iterate(*given: Any, **named: Any) -> Iterator[Any]:
        refuse_if_blocked()
        yield from function(*given, **named) or ()

    return _marked(iterate)


def _guarded_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the same kind that looks first: Dagster treats each kind in its own way."""

    @functools.wraps(function)
    def plain(*given: Any, **named: Any) -> Any:
        refuse_if_blocked()
        return function(*given, **named)

    @functools.wraps(function)
    def generator(*given: Any, **named: Any) -> Iterator[Any]:
        refuse_if_blocked()
        yield from function(*given, **named)

    @functools.wraps(function)
    async def coroutine(*given: Any, **named: Any) -> Any:
        refuse_if_blocked()
        return await function(*given, **named)

    @functools.wraps(function)
    async def async_generator(*given: Any, **named: Any) -> AsyncIterator[Any]:
        refuse_if_blocked()
        async for each in function(*given, **named):
            yield each

    if inspect.isasyncgenfunction(function):
        return _marked(async_generator)
    if inspect.iscoroutinefunction(function):
        return _marked(coroutine)
    return _marked(generator if inspect.isgeneratorfunction(function) else plain)


def _marked(function: Callable[..., Any]) -> Callable[..., Any]:
    setattr(function, _MARK, True)
    return function
