"""One asset of each kind that Dagster knows, all of them made from the orders."""
# Without postponed annotations: Dagster looks at the type of `context`, and takes no text for it.

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import dagster as dg

BEFORE = dg.AssetKey("orders")


class Settings(dg.Config):
    """A setting with a default."""

    number: int = 7


class Kept(dg.IOManager):
    """Keeps values, and so tells what reached it."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        self.values[self.name(context)] = obj

    def load_input(self, context: dg.InputContext) -> Any:
        upstream = context.upstream_output or context
        return self.values.get(self.name(upstream), "nothing")

    @staticmethod
    def name(context: dg.OutputContext | dg.InputContext) -> str:
        return "/".join(
            context.asset_key.path if context.has_asset_key else context.get_identifier()
        )


def plain() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    def asset() -> str:
        return "made"

    return asset


def with_context() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    def asset(context: dg.AssetExecutionContext) -> str:
        return f"made as {context.asset_key.to_user_string()}"

    return asset


def with_input_config_and_resource() -> dg.AssetsDefinition:
    @dg.asset
    def asset(orders: str, config: Settings, word: dg.ResourceParam[str]) -> str:
        return f"made of {orders}, {config.number} and {word}"

    return asset


def generator() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    def asset() -> Iterator[Any]:
        yield dg.AssetObservation("asset")
        yield dg.Output("made")

    return asset


def coroutine() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    async def asset() -> str:
        await asyncio.sleep(0)
        return "made"

    return asset


def async_generator() -> dg.AssetsDefinition:
    @dg.asset(deps=[BEFORE])
    async def asset() -> Any:
        await asyncio.sleep(0)
        yield dg.Output("made")

    return asset


def of_outs() -> dg.AssetsDefinition:
    @dg.multi_asset(outs={"asset": dg.AssetOut(), "twin": dg.AssetOut()}, deps=[BEFORE])
    def both() -> tuple[str, str]:
        return "made", "made too"

    return both


def of_a_plain_op() -> dg.AssetsDefinition:
    """As other libraries make them: without a decorator."""

    def compute(context: dg.OpExecutionContext, inputs: Any) -> Iterator[Any]:
        yield dg.Output(f"made of {inputs['orders']}")

    op = dg.OpDefinition(compute, "asset", ins={"orders": dg.In()}, outs={"result": dg.Out()})
    return dg.AssetsDefinition.from_op(op, keys_by_input_name={"orders": BEFORE})


def of_a_plain_async_op() -> dg.AssetsDefinition:
    async def compute(context: dg.OpExecutionContext, inputs: Any) -> AsyncIterator[Any]:
        await asyncio.sleep(0)
        yield dg.Output("made")

    op = dg.OpDefinition(compute, "asset", ins={"orders": dg.In()}, outs={"result": dg.Out()})
    return dg.AssetsDefinition.from_op(op, keys_by_input_name={"orders": BEFORE})
