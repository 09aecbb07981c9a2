"""The command as a process: how it starts, what a pipe and what a terminal get."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.contracts import odcs

MODULE = [sys.executable, "-m", "dqx_dagster.cli"]
SCRIPT = [str(Path(sys.executable).parent / "dqx-dagster")]
LONG = "l" * 300
ERROR = odcs(
    quality=f"""
    - name: {LONG}
      metric: rowCuont
      mustBeGreaterThan: 0
    """
)
LINE = (
    f"orders.yaml:9:9: error: Quality rule '{LONG}': unknown metric 'rowCuont'. "
    "Did you mean 'rowCount'?"
)


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The process's output, with a small terminal claimed and no wish for colours inherited."""
    return subprocess.run(
        command,
        cwd=folder,
        env=_environment(**environment),
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


def _environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    return {**kept, "COLUMNS": "40", "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **more}


def on_terminal(command: list[str], folder: Path, **environment: str) -> str:
    """What a terminal receives."""
    pty = pytest.importorskip("pty", reason="terminals are tried on POSIX")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, cwd=folder, env=_environment(**environment), stdout=theirs
    ) as process:
        os.close(theirs)
        received = b""
        while chunk := _read(ours):
            received += chunk
        process.wait()
    os.close(ours)
    return received.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


@pytest.mark.parametrize("command", [MODULE, SCRIPT], ids=["module", "script"])
def test_exit_codes_reach_the_shell(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "clean.yaml").write_text(odcs(table="clean"), "utf-8")
    (tmp_path / "orders.yaml").write_text(ERROR, "utf-8")

    clean = run([*command, "lint", "clean.yaml"], tmp_path)
    wrong = run([*command, "lint", "."], tmp_path)
    absent = run([*command, "lint", "absent.yaml"], tmp_path)

    assert (clean.returncode, clean.stdout, clean.stderr) == (
        0,
        "1 file, 1 contract, 1 rule: clean\n",
        "",
    )
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (
        1,
        f"{LINE}\n1 error in 2 files\n",
        "",
    )
    assert (absent.returncode, absent.stdout) == (2, "")
    assert "Usage: dqx-dagster lint" in absent.stderr
    assert "Path 'absent.yaml' does not exist" in absent.stderr


@pytest.mark.parametrize("wish", [{}, {"FORCE_COLOR": "1"}, {"TTY_COMPATIBLE": "1"}])
def test_a_pipe_gets_whole_lines_without_colours(wish: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(ERROR, "utf-8")

    assert run([*MODULE, "lint", "."], tmp_path, **wish).stdout == f"{LINE}\n1 error in 1 file\n"


def test_a_terminal_gets_whole_lines_in_colours(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(ERROR, "utf-8")

    shown = on_terminal([*MODULE, "lint", "."], tmp_path)

    coloured = LINE.replace(": error:", ": \x1b[1;31merror\x1b[0m:")
    assert shown == f"{coloured}\n\x1b[1m1 error in 1 file\x1b[0m\n"


def test_no_color_is_respected(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(ERROR, "utf-8")

    shown = on_terminal([*MODULE, "lint", "."], tmp_path, NO_COLOR="1")

    assert shown == f"{LINE}\n1 error in 1 file\n"


def test_an_encoding_that_lacks_a_character_gets_an_escape(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(ERROR.replace(LONG, "größe 😀"), "utf-8")

    for format_ in ("text", "github"):
        result = run(
            [*MODULE, "lint", "--format", format_, "."], tmp_path, PYTHONIOENCODING="ascii"
        )

        assert r"Quality rule 'gr\xf6\xdfe \U0001f600': unknown metric" in result.stdout
        assert result.stderr == ""


def test_a_reader_that_stops_early_gets_no_traceback(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.yaml").write_text(ERROR.replace("mustBe", "mustB" * 9000), "utf-8")

    with subprocess.Popen(
        [*MODULE, "lint", "."],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_importing_it_imports_neither_pyspark_nor_dagster(tmp_path: Path) -> None:
    code = "import sys, dqx_dagster.cli; print({'pyspark', 'dagster'} & set(sys.modules))"

    assert run([sys.executable, "-c", code], tmp_path).stdout == "set()\n"
