#!/bin/sh
# Prints the path of a browser, for the tests of Dagster's UI.
# Takes DQX_BROWSER, else a Chromium or Chrome that is there, else installs Debian's chromium where
# it can. Where there is none it prints nothing, says why, and just those tests are skipped.
set -eu

# Prints the path of a browser that starts: Ubuntu's chromium may be a script that asks for a snap.
usable() {
    found=$(command -v "$1") && "$found" --version 2>/dev/null | grep -q Chrom && echo "$found"
}

none() {
    echo "No browser, so no tests of Dagster's UI: $1" >&2
    exit
}

if [ -n "${DQX_BROWSER:-}" ]; then
    usable "$DQX_BROWSER" || none "DQX_BROWSER=$DQX_BROWSER does not start"
    exit
fi

mac="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
for name in chromium chromium-browser google-chrome "$mac"; do
    if usable "$name"; then exit; fi
done

command -v apt-get >/dev/null || none "install Chromium or Chrome, or name one with DQX_BROWSER"
[ "$(id -u)" = 0 ] || none "install chromium, which only root can do, or name one with DQX_BROWSER"

# Without network, apt-get must end soon; unpacking needs none, and must not be broken off.
echo "No browser found: installing Debian's chromium" >&2
export DEBIAN_FRONTEND=noninteractive
options="-qq -y --no-install-recommends -o Acquire::Retries=0 -o Acquire::http::Timeout=10"
options="$options -o APT::Update::Error-Mode=any -o DPkg::Lock::Timeout=60"
# shellcheck disable=SC2086 # the options are words
{
    timeout 60 apt-get $options update &&
        timeout 600 apt-get $options --download-only install chromium &&
        apt-get $options install chromium
} </dev/null >&2 || none "apt-get could not install chromium; DQX_BROWSER names another"
usable chromium || none "chromium does not start"
