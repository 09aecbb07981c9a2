"""Checks that wait for other assets, and circles in which they would wait for each other.

A check that reads another table waits for its asset, and so for that asset's blocking checks; an
asset waits for the blocking checks of those that it is made from. Employees that refer to their
departments, and departments to their managers, would go round. Dagster refuses such definitions.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import dagster as dg

from dqx_dagster.contract_checks import ContractChecks
from dqx_dagster.errors import ContractWarning

Waits: TypeAlias = Mapping[dg.AssetKey, Collection[dg.AssetKey]]
"""What each asset waits for."""


def untangled(found: Sequence[ContractChecks], made_from: Waits) -> list[ContractChecks]:
    """The same checks without circles; `made_from` are the assets behind each asset.

    Checks that are part of one get a step of their own, after all assets that they read, and block
    nothing: what they would block has to be there before they can run.
    """
    specs = [spec for checks in found for spec in checks.specs.values()]
    late = {spec.key for spec in specs if _is_circular(spec, made_from)}
    waits = {key: set(keys) for key, keys in made_from.items()}
    for spec in specs:
        if spec.key not in late:
            waits.setdefault(spec.asset_key, set()).update(_read(spec))
    late |= {spec.key for spec in specs if _is_circular(spec, waits)}
    parts = ((checks.only(checks.specs.keys() - late), checks.only(late)) for checks in found)
    return [part for prompt, last in parts for part in (prompt, _late(last))]


def _read(spec: dg.AssetCheckSpec) -> list[dg.AssetKey]:
    return [dep.asset_key for dep in spec.additional_deps]


def _is_circular(spec: dg.AssetCheckSpec, waits: Waits) -> bool:
    """Whether an asset that the check waits for waits for the check's own."""
    seen: set[dg.AssetKey] = set()
    ahead = _read(spec)
    while ahead:
        key = ahead.pop()
        if key == spec.asset_key:
            return True
        if key not in seen:
            seen.add(key)
            ahead += waits.get(key, ())
    return False


def _late(checks: ContractChecks) -> ContractChecks:
    specs = {}
    for key, spec in checks.specs.items():
        read = ", ".join(asset.to_user_string() for asset in _read(spec))
        asset, rule = spec.asset_key.to_user_string(), checks.checks[key].rule
        text = f"it reads {read}, which waits for {asset}: it is checked last and blocks nothing"
        if rule.blocking:
            place = rule.origin
            message = f"check '{spec.name}' is {rule.severity.value}, but {text}"
            warnings.warn_explicit(message, ContractWarning, place.file, place.line)
        description = f"{spec.description or ''}\n\nNote: {text}".strip()
        specs[key] = spec._replace(blocking=False, description=description)
    return replace(checks, specs=specs, step="late_contract_checks")
