"""`python -m dqx_dagster.cli` is `dqx-dagster`."""

from dqx_dagster.cli import main

if __name__ == "__main__":
    main(prog_name="dqx-dagster")
