"""Data contracts, enforced where the data is made: ODCS → Dagster asset checks on Spark.

Importing this package starts nothing and imports no pyspark.
"""

from dqx_dagster.checks.lowering import lower
from dqx_dagster.checks.rule import Claim, Lowered, Rule, Settings, Severity, Skipped, plan
from dqx_dagster.checks.threshold import Threshold
from dqx_dagster.checks.verdict import Outcome, Verdict, judge
from dqx_dagster.contract.model import Contract, Property, Quality, SlaLatency
from dqx_dagster.errors import (
    ContractValidationError,
    ContractWarning,
    DqxError,
    EngineError,
    Finding,
    Level,
    Origin,
    SchemaValidationError,
)
from dqx_dagster.loading import load_contracts

__version__ = "0.1.0"

__all__ = [
    "Claim",
    "Contract",
    "ContractValidationError",
    "ContractWarning",
    "DqxError",
    "EngineError",
    "Finding",
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
    "judge",
    "load_contracts",
    "lower",
    "plan",
]
