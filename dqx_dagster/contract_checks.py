"""Contracts → their checks as Dagster will know them, before any step that runs them.

>>> from dqx_dagster.contract.model import Contract
>>> from dqx_dagster.errors import Origin
>>> [found] = contract_checks([Contract("shop.orders", Origin("orders.yaml"))])
>>> found.key.to_user_string()
'shop/orders'
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Final, TypeAlias

import dagster as dg

from dqx_dagster.checks.bundle import Check, bundle
from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Rule, Settings, Skipped
from dqx_dagster.contract.model import Contract
from dqx_dagster.contract.relationships import related
from dqx_dagster.errors import DefinitionsError
from dqx_dagster.loading import load_contracts
from dqx_dagster.metadata import CONTRACT, place_of
from dqx_dagster.translator import DagsterContractTranslator

Contracts: TypeAlias = str | PathLike[str] | Sequence[Contract]
STEP: Final = "contract_checks"


@dataclass(frozen=True, slots=True)
class ContractChecks:
    """The checks of one contract."""

    contract: Contract
    key: dg.AssetKey
    specs: Mapping[dg.AssetCheckKey, dg.AssetCheckSpec]
    checks: Mapping[dg.AssetCheckKey, Check]
    skipped: tuple[Skipped, ...]
    others: Mapping[str, Contract]  # the contracts of the other tables that checks read, by dataset
    step: str = STEP  # what its step is called, behind the asset

    def only(self, keys: Iterable[dg.AssetCheckKey]) -> ContractChecks:
        """Some of the checks."""
        chosen = set(keys)
        specs = {key: spec for key, spec in self.specs.items() if key in chosen}
        return replace(self, specs=specs, checks={key: self.checks[key] for key in specs})

    def partitioned(self, by: dg.PartitionsDefinition[str] | None) -> ContractChecks:
        """The same checks with a result for each partition, which is a preview in Dagster."""
        if by is None:
            return self
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.PreviewWarning)  # whoever comes here asks for it
            specs = {key: spec._replace(partitions_def=by) for key, spec in self.specs.items()}
        return replace(self, specs=specs)


def contract_checks(
    contracts: Contracts,
    translator: DagsterContractTranslator | None = None,
    settings: Settings | None = None,
) -> list[ContractChecks]:
    """The checks of every contract; raises `DefinitionsError` where names or assets collide."""
    translator, settings = translator or DagsterContractTranslator(), settings or Settings()
    loaded = load(contracts, settings)
    known = _known(loaded)
    found = [_checks(each, translator, settings, known) for each in loaded]
    claimed: dict[dg.AssetKey, ContractChecks] = {}
    problems = []
    for each in found:
        first = claimed.setdefault(each.key, each)
        if first is not each:
            asset, other = each.key.to_user_string(), first.contract.origin
            text = f"two contracts for one asset '{asset}': the other is at {other}"
            problems.append(f"{each.contract.origin}: {text}")
    if problems:
        raise DefinitionsError("\n".join(problems))
    return found


def load(contracts: Contracts, settings: Settings) -> list[Contract]:
    """Contracts from whatever users give."""
    if isinstance(contracts, str | PathLike):
        return load_contracts(Path(contracts), strict=settings.strict, settings=settings)
    return related(contracts)


def _known(contracts: Iterable[Contract]) -> dict[str, Contract]:
    """Every contract by dataset, and those that relationships and queries lead to."""
    links = (link.target for contract in contracts for link in contract.relationships)
    beside = (other for contract in contracts for other in contract.siblings)
    targets = (target.contract for target in links if target)
    return {each.dataset: each for each in (*beside, *targets, *contracts)}


def _checks(
    contract: Contract,
    translator: DagsterContractTranslator,
    settings: Settings,
    known: Mapping[str, Contract],
) -> ContractChecks:
    lowered = lower(contract, settings)
    key = translator.get_asset_key(contract)
    specs: dict[dg.AssetCheckKey, dg.AssetCheckSpec] = {}
    checks: dict[dg.AssetCheckKey, Check] = {}
    others: dict[str, Contract] = {}
    taken: dict[str, Check] = {}
    skipped = [*lowered.skipped]
    for check in bundle(lowered.rules, settings):
        spec = translator.get_asset_check_spec(contract, check.rule)
        if spec is None:
            skipped += [_left_out(rule) for rule in check.members]
            continue
        if CONTRACT not in spec.metadata:  # by which a guard knows it, also from other translators
            spec = spec.with_metadata({**spec.metadata, CONTRACT: place_of(check.rule)})
        # Dagster drops one of two checks with the same identifier without a word.
        first = taken.setdefault(spec.get_python_identifier().lower(), check)
        if first is not check:
            text = f"two checks are called '{spec.name}': the other is at {first.rule.origin}"
            raise DefinitionsError(f"{check.rule.origin}: {text}")
        if spec.asset_key != key:
            asset, other = key.to_user_string(), spec.asset_key.to_user_string()
            text = f"check '{spec.name}' is for asset '{other}', its contract for '{asset}'"
            raise DefinitionsError(f"{check.rule.origin}: {text}")
        read = [known[dataset] for dataset in check.rule.reads if dataset in known]
        others |= {other.dataset: other for other in read}
        specs[spec.key] = _after(spec, map(translator.get_asset_key, read))
        checks[spec.key] = check
    return ContractChecks(contract, key, specs, checks, tuple(skipped), others)


def _left_out(rule: Rule) -> Skipped:
    return Skipped(rule.name, "left out by the translator", rule.severity, rule.origin)


def _after(spec: dg.AssetCheckSpec, assets: Iterable[dg.AssetKey]) -> dg.AssetCheckSpec:
    """The check, which waits for these assets too where they are made in the same run."""
    there = {dep.asset_key for dep in spec.additional_deps} | {spec.asset_key}
    new = [dg.AssetDep(asset) for asset in dict.fromkeys(assets) if asset not in there]
    return spec._replace(additional_deps=[*spec.additional_deps, *new]) if new else spec
