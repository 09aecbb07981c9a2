"""The shape of the package: which way imports go, what importing costs, what is public."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import dqx_dagster

PACKAGE = "dqx_dagster"
FOLDER = Path(dqx_dagster.__file__).parent
REPOSITORY = Path(__file__).parents[1]
MAX_LINES = 305

PURE = {"errors", "contract", "metrics", "checks", "loading"}
HEAVY = {"pyspark", "py4j", "dagster", "dagster_pyspark"}
SLOW = {*HEAVY, "sqlglot"}
BELOW: dict[str, set[str]] = {
    "errors": set(),
    "metrics": set(),
    "contract": {"errors"},
    "checks": {"errors", "metrics", "contract"},
    "loading": {"errors", "metrics", "contract", "checks"},
    "spark": PURE,
}
"""What each room may import besides itself. Rooms not named here are Dagster's or the cli."""

LATE = {
    ("contract.model", "dqx_dagster.loading"): "from_odcs and from_yaml read files into this model",
    ("checks.lowering", "dqx_dagster.checks.sql"): "sqlglot is imported where a contract has SQL",
    ("contract.model", "dqx_dagster.spark"): "failing_rows and good_rows ask Spark, if called",
    ("evaluation", "dqx_dagster.spark"): "loading definitions imports no Spark",
    ("in_step", "dqx_dagster.spark"): "loading definitions imports no Spark",
    ("cli", "dqx_dagster.spark"): "`lint` starts without Spark",
    ("data_source", "dqx_dagster.spark"): "loading definitions imports no Spark",
    ("cli", "pyspark"): "`lint` starts without Spark",
}
"""The imports that may stand inside a function: in which module, of what, and why."""


@dataclass(frozen=True)
class Import:
    """One import: where it stands, and what it names."""

    module: str  # without the name of the package
    target: str
    line: int
    late: bool

    def __str__(self) -> str:
        return f"{PACKAGE}.{self.module}, line {self.line}: {self.target}"

    @property
    def room(self) -> str:
        return self.module.partition(".")[0]

    @property
    def target_room(self) -> str | None:
        """The room of this package that is imported; empty for the package itself."""
        head, _, rest = self.target.partition(".")
        return rest.partition(".")[0] if head == PACKAGE else None

    def within(self, module: str, target: str) -> bool:
        """Whether it stands in `module` and imports `target`, or below them."""
        return _below(self.module, module) and _below(self.target, target)


def _below(name: str, ancestor: str) -> bool:
    return f"{name}.".startswith(f"{ancestor}.")


def _files() -> list[Path]:
    return sorted(FOLDER.rglob("*.py"))


def _module(path: Path) -> str:
    parts = path.relative_to(FOLDER).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def _imports() -> Iterator[Import]:
    for path in _files():
        tree = ast.parse(path.read_text("utf-8"))
        inner = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        late = {id(node) for function in inner for node in ast.walk(function)}
        for node in ast.walk(tree):
            for target in _targets(node):
                yield Import(_module(path), target, getattr(node, "lineno", 0), id(node) in late)


def _targets(node: ast.AST) -> list[str]:
    """What an import names; `from package import room` names the room."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    assert node.level == 0, "relative import"
    module = node.module or ""
    return [f"{module}.{a.name}" if module == PACKAGE else module for a in node.names]


IMPORTS = tuple(dict.fromkeys(_imports()))


def _allowed_late(entry: Import) -> bool:
    return any(entry.within(*place) for place in LATE)


class TestDirection:
    def test_imports_go_down(self) -> None:
        """Errors, then contract and metrics, then checks, then loading, then Spark."""
        wrong = [
            str(entry)
            for entry in IMPORTS
            if entry.room in BELOW
            and entry.target_room is not None
            and entry.target_room not in {entry.room, *BELOW[entry.room]}
            and not (entry.late and _allowed_late(entry))
        ]
        assert wrong == []

    def test_only_the_cli_imports_the_cli(self) -> None:
        others = [e for e in IMPORTS if e.room != "cli" and e.target_room == "cli"]
        assert others == []

    def test_metrics_and_errors_need_only_python(self) -> None:
        own = {PACKAGE, *sys.stdlib_module_names}
        alone = [entry for entry in IMPORTS if entry.room in {"metrics", "errors"}]
        assert [str(e) for e in alone if e.target.partition(".")[0] not in own] == []

    def test_the_pure_rooms_know_neither_spark_nor_dagster(self) -> None:
        pure = [entry for entry in IMPORTS if entry.room in PURE]
        assert [str(e) for e in pure if e.target.partition(".")[0] in HEAVY] == []

    def test_only_spark_and_the_cli_know_pyspark(self) -> None:
        rooms = {e.room for e in IMPORTS if e.target.partition(".")[0] in {"pyspark", "py4j"}}
        assert rooms & (PURE | {""}) == set()

    def test_the_cli_does_not_know_dagster(self) -> None:
        cli = [entry for entry in IMPORTS if entry.room == "cli"]
        assert [str(e) for e in cli if e.target.partition(".")[0].startswith("dagster")] == []

    def test_imports_stand_at_the_top_of_modules(self) -> None:
        """But for the few that have a reason."""
        assert [str(e) for e in IMPORTS if e.late and not _allowed_late(e)] == []

    def test_every_late_import_is_still_there(self) -> None:
        used = {place for place in LATE for e in IMPORTS if e.late and e.within(*place)}
        assert used == set(LATE)


@pytest.mark.parametrize("module", ["dqx_dagster", "dqx_dagster.cli", "dqx_dagster.loading"])
def test_importing_loads_neither_spark_nor_dagster_nor_a_parser_of_sql(module: str) -> None:
    code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & SLOW == set()


class TestPublicNames:
    def test_they_are_sorted(self) -> None:
        assert dqx_dagster.__all__ == sorted(dqx_dagster.__all__)

    def test_each_is_there_once(self) -> None:
        assert len(set(dqx_dagster.__all__)) == len(dqx_dagster.__all__)

    def test_each_exists(self) -> None:
        assert [name for name in dqx_dagster.__all__ if not hasattr(dqx_dagster, name)] == []

    def test_all_are_listed(self) -> None:
        tree = ast.parse((FOLDER / "__init__.py").read_text("utf-8"))
        public = {name for name in _defined(tree.body) if not name.startswith("_")}
        assert public | {"__version__"} <= set(dqx_dagster.__all__)

    def test_type_checkers_see_the_names_that_are_imported_late(self) -> None:
        tree = ast.parse((FOLDER / "__init__.py").read_text("utf-8"))
        (block,) = (node for node in tree.body if isinstance(node, ast.If))
        assert set(_defined(block.body)) == set(dqx_dagster._FOR_DAGSTER)

    def test_the_exceptions_are_among_them(self) -> None:
        """Whoever calls the package can catch what it raises by its public name."""
        errors = importlib.import_module("dqx_dagster.errors")
        raised = {
            name
            for name, value in vars(errors).items()
            if isinstance(value, type) and issubclass(value, Exception | Warning)
        }
        assert raised <= set(dqx_dagster.__all__)


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ImportFrom(module=str(module)) if _below(module, PACKAGE):
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass  # imports of others, and `if TYPE_CHECKING`, which is for type checkers


def test_the_package_tells_that_it_has_types() -> None:
    assert (FOLDER / "py.typed").is_file()


def test_modules_stay_small() -> None:
    lengths = {_module(path): len(path.read_text("utf-8").splitlines()) for path in _files()}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


@pytest.mark.parametrize("module", [m for m in map(_module, _files()) if "__main__" not in m])
def test_the_examples_in_docstrings_are_true(module: str) -> None:
    name = f"{PACKAGE}.{module}".rstrip(".")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


# Spelt so that this file does not contain what it looks for.
UNWANTED = {
    "an address of a package index": r"pypi\.org/simpl[e]|pythonhosted\.or[g]|(?i:index.ur[l])",
    "a lock file of another tool": r"\buv\.loc[k]\b",
    "a path of one machine": r"(?<![\w.~-])/(?:wor[k]|roo[t]|hom[e]|User[s]|tm[p])/\w",
}
EXPECTED: dict[str, set[str]] = {}
"""Places that may hold what looks unwanted: the file, and the exact texts in it."""


def _repository_files() -> list[Path]:
    """Every file that is, or would be, committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    paths = [REPOSITORY / name for name in done.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


@pytest.mark.skipif(
    not shutil.which("git") or not (REPOSITORY / ".git").exists(), reason="not a git checkout"
)
class TestRepository:
    @pytest.mark.parametrize("what", UNWANTED)
    def test_nothing_belongs_to_one_machine(self, what: str) -> None:
        found = []
        for path in _repository_files():
            name = path.relative_to(REPOSITORY).as_posix()
            lines = path.read_bytes().decode("utf-8", "replace").splitlines()
            for number, line in enumerate(lines, 1):
                texts = {match.group() for match in re.finditer(UNWANTED[what], line)}
                found += [f"{name}:{number}: {text}" for text in texts - EXPECTED.get(name, set())]
        assert found == []

    def test_there_is_no_lock_file_of_another_tool(self) -> None:
        names = {path.name for path in _repository_files()}
        assert {name for name in names if name.endswith(".lock")} == set()
