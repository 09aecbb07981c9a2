"""`ContractsComponent`: a folder of contracts in a `dg` project → asset checks.

```yaml
type: dqx_dagster.ContractsComponent
attributes:
  contracts: contracts
  source: data/{dataset}.parquet
```
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import Annotated, Final, Literal

import dagster as dg

from dqx_dagster.asset_checks import RESOURCE_KEY, definitions_of, op_name
from dqx_dagster.attachment import asset_specs, collisions, missing_assets, unclear_partitions
from dqx_dagster.check_order import untangled
from dqx_dagster.checks.rule import SEVERITIES, Settings, Severity
from dqx_dagster.contract_checks import ContractChecks, contract_checks
from dqx_dagster.data_source import DataSource, as_source
from dqx_dagster.errors import ContractWarning, DefinitionsError
from dqx_dagster.scaffolder import ContractsScaffolder
from dqx_dagster.translator import DagsterContractTranslator

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # one letter is a drive of Windows


@dataclass(frozen=True, slots=True)
class YamlSettings(Settings):
    """How contracts become rules and checks; `severities` adds words to the usual ones."""

    # Whoever adds a word must not lose that `error` blocks.
    severities: Mapping[str, Severity] = field(default_factory=dict, hash=False)


def _settings(_: dg.ResolutionContext, given: YamlSettings) -> Settings:
    words = {word.lower(): severity for word, severity in given.severities.items()}
    said = {each.name: getattr(given, each.name) for each in fields(given)}
    return Settings(**{**said, "severities": {**SEVERITIES, **words}})


@dg.scaffold_with(ContractsScaffolder)
class ContractsComponent(dg.Component, dg.Model, dg.Resolvable):
    """Asset checks from a folder of data contracts, measured on Spark.

    Every schema object of a contract gives the checks of one asset, which must be defined somewhere
    in the defs folder. Subclasses may override `get_translator` and `get_source`.
    """

    contracts: Annotated[
        str,
        dg.Resolver.default(
            description="A folder (or file) of contracts, relative to the folder of `defs.yaml`.",
            examples=["contracts"],
        ),
    ]
    source: Annotated[
        str | None,
        dg.Resolver.default(
            description="Where the tables are: a path with `{dataset}`, `{path}`, `{object}` or "
            "`{version}`; a relative one starts at the project's root. By default the session's "
            "catalog.",
            examples=["data/{dataset}.parquet", "s3://lake/{path}"],
        ),
    ] = None
    resource_key: Annotated[
        str,
        dg.Resolver.default(
            description="The resource with the session: anything with a `.spark_session`."
        ),
    ] = RESOURCE_KEY
    pool: Annotated[
        str | None,
        dg.Resolver.default(
            description="Bounds how many of these steps run at once; each may start a JVM."
        ),
    ] = None
    settings: Annotated[
        Settings,
        dg.Resolver(
            _settings,
            model_field_type=YamlSettings,
            description="Severities, and how finely checks are reported.",
        ),
    ] = Settings()
    on_missing_asset: Annotated[
        Literal["error", "warn"],
        dg.Resolver.default(
            description="Whether a contract whose asset is not in the defs folder is an error, or "
            "just a warning."
        ),
    ] = "error"

    def get_translator(self) -> DagsterContractTranslator:
        """What changes asset keys and check specs; for subclasses to override."""
        return DagsterContractTranslator()

    def get_source(self, context: dg.ComponentLoadContext) -> DataSource:
        """What reads the table of a contract; for subclasses to override."""
        root = context.project_root.resolve()
        return as_source(None if self.source is None else _located(self.source, root))

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The checks, after a look at the whole defs folder.

        A check on an asset that is not there is fine for Dagster: it never runs, and all runs are
        green. A component sees only its own definitions, but may ask for those of the folder. That
        builds each component of the folder once, this one included; so the first that is asked
        looks, for all of them.
        """
        built = _BUILT.get()
        if built is not None:
            return self._build(context, built)
        built = []
        # `build_defs_for_component` gives a context without a project.
        if isinstance(context.component_tree.defs_module, ModuleType):
            _refuse_misfits(built, _whole(context, built))
        # A component that makes this one in its own `build_defs` has made another one by now.
        mine = [each.defs for each in built if each.component is self]
        return mine[0] if mine else self._build(context, built)

    def _build(self, context: dg.ComponentLoadContext, built: list[_Built]) -> dg.Definitions:
        folder = context.path if context.path.is_dir() else context.path.parent
        contracts = (folder / self.contracts).resolve()
        found = contract_checks(contracts, self.get_translator(), self.settings)
        source, parts = self.get_source(context), untangled(found, {})
        checks = definitions_of(parts, source, self.resource_key, self.pool, None)
        built.append(_Built(self, found, parts, dg.Definitions(asset_checks=checks)))
        return built[-1].defs


def _located(source: str, root: Path) -> str:
    """The source with its full path: Spark would look where its own process was started.

    >>> _located("data/{dataset}", Path("/shop")), _located("s3://lake/{path}", Path("/shop"))
    ('/shop/data/{dataset}', 's3://lake/{path}')
    """
    return source if _SCHEME.match(source) else str(root / source)


# The whole defs folder


@dataclass(frozen=True)
class _Built:
    component: ContractsComponent
    found: list[ContractChecks]
    parts: list[ContractChecks]  # the same, by the steps that they are checked in
    defs: dg.Definitions


_BUILT: ContextVar[list[_Built] | None] = ContextVar("dqx_dagster_built", default=None)
"""What the components of a folder have built, while one of them looks at all of it."""


def _whole(context: dg.ComponentLoadContext, built: list[_Built]) -> dg.Definitions:
    token = _BUILT.set(built)
    try:
        return context.build_defs(context.defs_module_path)
    finally:
        _BUILT.reset(token)


def _refuse_misfits(built: Iterable[_Built], whole: dg.Definitions) -> None:
    assets, checks = list(whole.assets or []), list(whole.asset_checks or [])
    specs = asset_specs(whole)
    problems: list[tuple[str, bool]] = []
    missing: list[tuple[str, bool]] = []
    for each in built:
        taken = collisions(each.found, assets, _without(each.parts, checks))
        problems += [(text, True) for text in taken]
        problems += unclear_partitions(each.found, specs)
        is_error = each.component.on_missing_asset == "error"
        missing += [(text, is_error) for text in missing_assets(each.found, whole)]
    if any(is_error for _, is_error in missing):
        missing.append((_ELSEWHERE, True))
    if errors := [text for text, is_error in (*problems, *missing) if is_error]:
        raise DefinitionsError("\n".join(errors))
    for text, _ in (*problems, *missing):
        warnings.warn(text, ContractWarning, stacklevel=3)


_ELSEWHERE: Final = (
    "A component sees the assets of the defs folder. For those that are defined elsewhere use "
    "`with_contracts` around all definitions, or set `on_missing_asset: warn`."
)


def _without(
    parts: Iterable[ContractChecks], checks: Iterable[dg.AssetsDefinition]
) -> Iterator[dg.AssetsDefinition]:
    """The checks that others have made: each of one's own is there once."""
    own = {op_name(each.key, each.step) for each in parts if each.specs}
    for each in checks:
        if each.node_def.name in own:
            own.remove(each.node_def.name)
        else:
            yield each
