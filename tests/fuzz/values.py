"""What damage puts into a contract: values, texts, and texts that YAML reads as something else."""

from __future__ import annotations

from typing import Any

# Values of every type, in range and out of it.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 0.5, 1.5, -0.0, 100, 101, 10**18, 2**63, -(10**37)),
    *(1e308, -1e308, 5e-324, 1e16, 0.1 + 0.2, 86_400, 10**9, 10**12),
    *([], {}, [[]], [{}], {"a": {}}, [None], [""], {"": ""}, [1, 2], [2, 1], [1, "a", None], [1]),
    *(["a", "b"], ["a", "a"], [True, 1, 1.0, "1"], [0.5, 0.5], ["2024-01-01", 1], [[1, 2]]),
    *({"check": "min"}, {"value": 1}, {"name": "a"}, {"kind": "list"}, {"kind": "struct"}, [1e308]),
)
TEXTS = (
    *("", " ", "a", "orders", "orders.id", "a.b.c", ".", "..", "a b", "`a`", "${x}", "__class__"),
    *("^(a|b)*$", "[", "(", "a{2,1}", "(?P<n>a)", "[[a]", "\\", "*", "[z-a]", f"a{{{'9' * 5000}}}"),
    *("mustbe", "mustBeLessThen", "rowcount", "Nullvalues", "whitelst", "percent", "pct", "%"),
    *("P1D", "PT", f"P{'9' * 400}Y", "parsecs", "m", "h", "1h", "5", "-5", "nan", "inf", "1e9"),
    *("* * * * *", "99 99 * * *", "0 0 31 2 *", "@daily", "R R * * *", "0 */5 * * *", "0 0 1 1 L"),
    *("25:00", "9:00Z", "2024-02-30", "2024-01-01", "20240101", "2024-W01", "0000-00-00", "now"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "10000-01-01", "24:00", "12:30:45"),
    *("\n", "a\nb", "check: min", "check: [", "{", "- a", "check: &a [*a]", "a: 1\na: 2", "true"),
    *(
        "x" * 70,
        "A" * 300,
        "é",
        "日本",
        "😀",
        "a\u0301",
        "\u0627",
        "İ",
        "ﬀ",
        "\u200b",
        "\U0010ffff",
    ),
)
# What stands in a file as it is. It may mean something else than a text, or break the file.
RAW = (
    *("", "~", "True", "NO", "yes", "on", "1e3", "1e400", ".nan", ".inf", "-.inf", "9" * 39, "010"),
    *("9" * 5000, "0x1F", "1_000", "12:30:45", "2024-01-01", "2024-13-45", "2024-01-01T25:00:00Z"),
    *("!!int 5", "!!str 5", "!x y", "!!set {a}", "*a", "&a b", "&a [*a]", "{<<: {a: 1}}", "<<"),
    *(
        "'",
        '"',
        "|",
        ">",
        "- a",
        "a: b",
        "[",
        "}",
        "#",
        "%",
        "@",
        "`",
        "\\",
        '"\\ud800"',
        '"\\x1b"',
    ),
    *(
        "\u202e",
        "\u2028",
        "\x85",
        "\ufeff",
        "é",
        "\x00",
        "\x7f",
        "ß" * 300,
        "a" * 3000,
        "{a: 1, a: 2}",
    ),
)
