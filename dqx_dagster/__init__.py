"""Data contracts, enforced where the data is made: ODCS → Dagster asset checks on Spark.

Importing this package starts nothing, and imports neither dagster nor pyspark before one of its
names for them is used: so that the command line starts quickly.
"""

import importlib
from typing import TYPE_CHECKING, Any

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import (
    Claim,
    Granularity,
    Lowered,
    Rule,
    Settings,
    Severity,
    Skipped,
    plan,
)
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.checks.verdict import Outcome, Verdict, judge
from dqx_dagster.contract.model import Contract, Property, Quality, SlaLatency
from dqx_dagster.errors import (
    AlertError,
    ContractValidationError,
    ContractWarning,
    DefinitionsError,
    DqxError,
    EngineError,
    Finding,
    Level,
    Origin,
    SchemaValidationError,
)
from dqx_dagster.loading import load_contracts

if TYPE_CHECKING:
    from dqx_dagster.alerts.alert import AlertStatus, CheckAlert
    from dqx_dagster.alerts.channels import log_alerts, webhook
    from dqx_dagster.alerts.sensor import build_contract_alert_sensor
    from dqx_dagster.asset_checks import build_contract_checks
    from dqx_dagster.blocking.automation import unless_blocked
    from dqx_dagster.blocking.blocked import Blocked, Cause
    from dqx_dagster.blocking.guard import guarded
    from dqx_dagster.blocking.refusal import blocked_by, skip_if_blocked
    from dqx_dagster.component import ContractsComponent
    from dqx_dagster.data_source import DataSource, catalog_table, path_pattern, server
    from dqx_dagster.definitions import with_contracts
    from dqx_dagster.freshness import freshness_policy
    from dqx_dagster.in_step import contract_asset
    from dqx_dagster.translator import DagsterContractTranslator

__version__ = "0.1.0"

__all__ = [
    "AlertError",
    "AlertStatus",
    "Blocked",
    "Cause",
    "CheckAlert",
    "Claim",
    "Contract",
    "ContractValidationError",
    "ContractWarning",
    "ContractsComponent",
    "DagsterContractTranslator",
    "DataSource",
    "DefinitionsError",
    "DqxError",
    "EngineError",
    "Finding",
    "Granularity",
    "Level",
    "Lowered",
    "Origin",
    "Outcome",
    "Property",
    "Quality",
    "Rule",
    "SchemaValidationError",
    "Settings",
    "Severity",
    "Skipped",
    "SlaLatency",
    "Threshold",
    "Verdict",
    "__version__",
    "blocked_by",
    "build_contract_alert_sensor",
    "build_contract_checks",
    "catalog_table",
    "contract_asset",
    "freshness_policy",
    "guarded",
    "judge",
    "load_contracts",
    "log_alerts",
    "lower",
    "path_pattern",
    "plan",
    "server",
    "skip_if_blocked",
    "unless_blocked",
    "webhook",
    "with_contracts",
]

_FOR_DAGSTER = {
    "AlertStatus": "alerts.alert",
    "Blocked": "blocking.blocked",
    "Cause": "blocking.blocked",
    "CheckAlert": "alerts.alert",
    "ContractsComponent": "component",
    "DagsterContractTranslator": "translator",
    "DataSource": "data_source",
    "blocked_by": "blocking.refusal",
    "build_contract_alert_sensor": "alerts.sensor",
    "build_contract_checks": "asset_checks",
    "catalog_table": "data_source",
    "contract_asset": "in_step",
    "freshness_policy": "freshness",
    "guarded": "blocking.guard",
    "log_alerts": "alerts.channels",
    "path_pattern": "data_source",
    "server": "data_source",
    "skip_if_blocked": "blocking.refusal",
    "unless_blocked": "blocking.automation",
    "webhook": "alerts.channels",
    "with_contracts": "definitions",
}


def __getattr__(name: str) -> Any:
    """The names that need dagster or pyspark, imported when they are first used."""
    if name not in _FOR_DAGSTER:
        raise AttributeError(f"module 'dqx_dagster' has no attribute '{name}'")
    return getattr(importlib.import_module(f"dqx_dagster.{_FOR_DAGSTER[name]}"), name)


def __dir__() -> list[str]:
    """All public names, also before they are imported."""
    return __all__
