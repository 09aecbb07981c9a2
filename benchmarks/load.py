"""How long it takes to load and lower 500 contracts with 40 rules each, and how much memory.

Writes the contracts to a temporary directory and reads them in fresh processes: as the package
does, and for comparison with a bare YAML parser and with the package's own YAML reader. The
fastest of three runs counts. Fails above 10 seconds or 500 MB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import yaml

from dqx_dagster import load_contracts, lower, plan
from dqx_dagster.contract.document import load_document

CONTRACTS, RULES = 500, 40
RUNS = 3  # the fastest counts: what else the machine does can only add time
MAX_SECONDS, MAX_MEGABYTES = 10.0, 500.0

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders-{n}
name: orders {n}
version: 1.0.0
status: active
domain: sales
description:
  purpose: Orders of shop {n}
team:
  name: shop-{n}
slaProperties:
- property: latency
  value: 1
  unit: d
  element: orders_{n}.placed_at
- property: retention
  value: 3
  unit: y
schema:
- name: orders_{n}
  physicalName: sales.orders_{n}
  quality:
  - name: has_rows
    metric: rowCount
    mustBeGreaterThan: 0
    severity: error
  - name: one_row_per_line
    metric: duplicateValues
    mustBe: 0
    arguments:
      properties: [order_id, line]
  - name: every_day
    type: custom
    engine: dqx
    implementation: |
      check: completeness
      partition_column: day
      granularity: daily
      lookback_days: 30
  properties:
  - name: order_id
    logicalType: integer
    primaryKey: true
    primaryKeyPosition: 1
    required: true
  - name: line
    logicalType: integer
    primaryKey: true
    primaryKeyPosition: 2
    required: true
  - name: day
    logicalType: date
    partitioned: true
    partitionKeyPosition: 1
  - name: placed_at
    logicalType: timestamp
  - name: status
    logicalType: string
    required: true
    logicalTypeOptions:
      maxLength: 20
    quality:
    - name: known
      metric: invalidValues
      mustBe: 0
      severity: error
      arguments:
        validValues: [open, paid, shipped, delivered, returned, cancelled]
  - name: email
    logicalType: string
    logicalTypeOptions:
      pattern: '^[^@]+@[^@]+$'
    quality:
    - name: set
      metric: missingValues
      mustBeLessThan: 10
      unit: percent
      arguments:
        missingValues: [null, '', n/a]
{amounts}\
"""
AMOUNT = """\
  - name: amount_{c}
    logicalType: number
    quality:
    - name: filled_{c}
      metric: nullValues
      mustBeLessOrEqualTo: {c}
    - name: mean_{c}
      type: custom
      engine: dqx
      implementation: |
        check: mean
        mustBeBetween: [0, 10{c}]
        tolerance: 0.01
    - name: high_{c}
      type: custom
      engine: dqx
      severity: P2
      implementation: |
        check: percentile
        percentile: 0.9{c}
        mustBeLessThan: 1000
"""
COLUMNS = 15 - 6


def write(folder: Path) -> int:
    """Write the contracts, each with its own names; how many they are."""
    folder.mkdir(exist_ok=True)
    amounts = "".join(AMOUNT.format(c=column) for column in range(COLUMNS))
    for number in range(CONTRACTS):
        text = CONTRACT.format(n=number, amounts=amounts)
        (folder / f"orders_{number:03}.odcs.yaml").write_text(text, "utf-8")
    return CONTRACTS


def load(folder: Path) -> int:
    """Load, lower and plan every contract; the number of rules."""
    contracts = load_contracts(folder)
    lowered = [lower(contract) for contract in contracts]
    for rules in lowered:
        plan(rules.rules)
    return sum(len(one.rules) for one in lowered)


def parse(folder: Path) -> int:
    """Parse every file with PyYAML's fastest loader; the number of files."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return sum(bool(yaml.load(p.read_bytes(), Loader=loader)) for p in sorted(folder.iterdir()))


def read(folder: Path) -> int:
    """Read every file with the package's own YAML reader; the number of files."""
    return sum(bool(load_document(path).root) for path in sorted(folder.iterdir()))


TASKS = {"write": write, "load": load, "parse": parse, "read": read}


def measure(task: str, folder: Path) -> None:
    """Do one task in this process and print what it took."""
    warnings.simplefilter("ignore")
    start, start_cpu = time.perf_counter(), time.process_time()
    count = TASKS[task](folder)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (2**20 if sys.platform == "darwin" else 2**10)
    print(json.dumps({"count": count, "seconds": seconds, "cpu": cpu, "megabytes": megabytes}))


def in_fresh_process(task: str, folder: Path) -> dict[str, float]:
    """What a task takes in a process of its own, at best."""
    command = [sys.executable, __file__, task, str(folder)]
    runs: list[dict[str, float]] = []
    for _ in range(RUNS):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return min(runs, key=lambda run: run["seconds"])


def main() -> int:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {task: in_fresh_process(task, folder) for task in TASKS}
        size = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
    seconds, megabytes, rules = (found["load"][key] for key in ("seconds", "megabytes", "count"))
    parse_ratio, read_ratio = (seconds / found[task]["seconds"] for task in ("parse", "read"))
    assert rules == CONTRACTS * RULES
    print(f"{CONTRACTS} contracts, {size:.1f} MB, {rules:,.0f} rules")
    print(f"load and lower   {seconds:6.2f} s   {megabytes:6.0f} MB at its peak")
    print(f"  processor time {found['load']['cpu']:6.2f} s")
    print(f"  per contract   {1000 * seconds / CONTRACTS:6.2f} ms")
    print(f"  per rule       {1_000_000 * seconds / rules:6.0f} µs")
    print(
        f"only PyYAML (C)  {found['parse']['seconds']:6.2f} s   load takes {parse_ratio:.1f} times"
    )
    print(f"only our reader  {found['read']['seconds']:6.2f} s   load takes {read_ratio:.1f} times")
    good = seconds <= MAX_SECONDS and megabytes <= MAX_MEGABYTES
    print(f"{'within' if good else 'ABOVE'} {MAX_SECONDS:.0f} s and {MAX_MEGABYTES:.0f} MB")
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        sys.exit(main())
