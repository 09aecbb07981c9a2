"""`DagsterContractTranslator`: what Dagster calls things, and the one place to change it."""

from __future__ import annotations

import dagster as dg

from dqx_dagster.checks.rule import Rule
from dqx_dagster.contract.model import Contract
from dqx_dagster.metadata import check_description, check_spec_metadata


class DagsterContractTranslator:
    """How contracts and rules become objects of Dagster. Override a method to change one.

    ```python
    class Prefixed(DagsterContractTranslator):
        def get_asset_key(self, contract: Contract) -> dg.AssetKey:
            return super().get_asset_key(contract).with_prefix("lake")
    ```
    """

    def get_asset_key(self, contract: Contract) -> dg.AssetKey:
        """The asset that a contract is about.

        By default the custom property `dagsterAssetKey`, else the dataset, split at its dots.
        """
        return dg.AssetKey(list(contract.asset_path))

    def get_asset_check_spec(self, contract: Contract, rule: Rule) -> dg.AssetCheckSpec | None:
        """The check for a rule; None leaves the rule out."""
        return dg.AssetCheckSpec(
            rule.name,
            asset=self.get_asset_key(contract),
            description=check_description(rule),
            blocking=rule.blocking,
            metadata=check_spec_metadata(rule),
        )
