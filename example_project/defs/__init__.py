"""What `dg` loads: the web team's assets, with a component for their contracts."""
