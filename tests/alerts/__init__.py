"""Tests of alerts; a package, so that they can share a sensor and a web server."""
