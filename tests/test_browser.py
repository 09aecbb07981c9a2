"""The browser that the set-up finds or installs, and the script that does it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIND_BROWSER = Path(__file__).parents[1] / "tools" / "find_browser.sh"
NONE = "No browser, so no tests of Dagster's UI: "

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the pretended machine is one with apt-get"
)


def write_script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


class Machine:
    """A machine with the few tools that the script needs, and no browser."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "path"
        self.path.mkdir()
        for tool in ("chmod", "grep", "sh", "timeout"):
            found = shutil.which(tool)
            assert found is not None
            (self.path / tool).symlink_to(found)
        self.is_root(yes=True)

    def is_root(self, *, yes: bool) -> None:
        write_script(self.path / "id", f"echo {0 if yes else 1000}")

    def has_browser(self, name: str = "chromium", tells: str = "Chromium 156.0") -> Path:
        return write_script(self.path / name, f"echo '{tells}'")

    def has_apt_get(self, *, failing: str = "nothing", gives: str = "Chromium 156.0") -> None:
        """An apt-get that fails at a word, and else installs a browser that tells its version."""
        chromium = self.path / "chromium"
        write_script(
            self.path / "apt-get",
            f"""echo "$*" >>{self.folder}/calls
echo "apt-get tells a lot"
case "$*" in
*{failing}*) exit 100 ;;
*--download-only*) ;;
*"install chromium") printf '#!/bin/sh\\necho {gives}\\n' >{chromium}; chmod +x {chromium} ;;
esac""",
        )

    def find_browser(self, **environment: str) -> tuple[str, str]:
        """What the script prints, and the last thing that it says to people."""
        done = subprocess.run(
            [FIND_BROWSER],
            env={"PATH": str(self.path), **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout, done.stderr.splitlines()[-1] if done.stderr else ""

    def installs(self) -> int:
        calls = self.folder / "calls"
        return calls.read_text().count("install chromium") if calls.exists() else 0


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_that_is_there_is_taken(machine: Machine, name: str) -> None:
    machine.has_apt_get()
    browser = machine.has_browser(name, "Google Chrome 156.0")

    assert machine.find_browser() == (f"{browser}\n", "")
    assert machine.installs() == 0


def test_the_named_browser_is_taken_before_others(machine: Machine) -> None:
    machine.has_browser()
    other = machine.has_browser("other")

    assert machine.find_browser(DQX_BROWSER=str(other)) == (f"{other}\n", "")


def test_a_named_browser_that_does_not_start_is_not_replaced(machine: Machine) -> None:
    machine.has_browser()
    machine.has_apt_get()

    assert machine.find_browser(DQX_BROWSER="none") == (
        "",
        f"{NONE}DQX_BROWSER=none does not start",
    )
    assert machine.installs() == 0


def test_without_a_browser_one_is_installed_once(machine: Machine) -> None:
    machine.has_apt_get()

    first, _ = machine.find_browser(DQX_BROWSER="")
    again, said = machine.find_browser()

    assert first == again == f"{machine.path / 'chromium'}\n"
    assert said == ""
    assert machine.installs() == 2  # it is fetched, then unpacked


def test_a_script_that_only_asks_for_a_snap_is_no_browser(machine: Machine) -> None:
    machine.has_browser("chromium-browser", "Command requires the snap to be installed")
    machine.has_apt_get()

    assert machine.find_browser()[0] == f"{machine.path / 'chromium'}\n"


@pytest.mark.parametrize("failing", ["update", "--download-only", "install chromium"])
def test_an_install_that_fails_is_no_failure_of_the_set_up(machine: Machine, failing: str) -> None:
    machine.has_apt_get(failing=failing)

    fix = "apt-get could not install chromium; DQX_BROWSER names another"
    assert machine.find_browser() == ("", f"{NONE}{fix}")


def test_an_installed_browser_that_does_not_start_is_none(machine: Machine) -> None:
    machine.has_apt_get(gives="error")

    assert machine.find_browser() == ("", f"{NONE}chromium does not start")


def test_only_root_installs(machine: Machine) -> None:
    machine.has_apt_get()
    machine.is_root(yes=False)

    fix = "install chromium, which only root can do, or name one with DQX_BROWSER"
    assert machine.find_browser() == ("", f"{NONE}{fix}")
    assert machine.installs() == 0


def test_without_apt_get_nothing_is_installed(machine: Machine) -> None:
    fix = "install Chromium or Chrome, or name one with DQX_BROWSER"
    assert machine.find_browser() == ("", f"{NONE}{fix}")
