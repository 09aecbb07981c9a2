"""What Spark SQL may hold here: every function, keyword, type and sign. Anything else is refused.

A function is on the list if its value depends on its arguments alone (or on the clock, which is
replaced), and if it gives one value for one row or one group. Left out on purpose:

* what calls code: `reflect`, `java_method`, `try_reflect`, `transform` and all that takes a lambda;
* what knows the environment: `current_user`, `version`, `current_database`, `input_file_name`, …;
* chance and order: `rand`, `uuid`, `shuffle`, `monotonically_increasing_id`, `any_value`, `mode`;
* what ends the query: `raise_error`, `assert_true`;
* what makes rows: `explode`, `inline`, `stack`, `range`, `json_tuple`;
* what is there to make bulk: `repeat`, `space`, `sequence`, `array_repeat`, `collect_list`;
* secrets and keys: `aes_encrypt`, `aes_decrypt`, `hmac`.
"""

from __future__ import annotations

from typing import Final

AGGREGATES: Final = frozenset(
    """
    approx_count_distinct approx_percentile avg bool_and bool_or corr count count_if covar_pop
    covar_samp every kurtosis max mean median min percentile percentile_approx percentile_cont
    percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    skewness some std stddev stddev_pop stddev_samp sum try_avg try_sum var_pop var_samp variance
    any bit_and bit_or bit_xor
    """.split()  # noqa: SIM905 - a long list is easier to read without quotes
)

_WINDOWS: Final = """
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank
    row_number
"""
_CONDITIONS: Final = """
    cast coalesce equal_null greatest if ifnull isnan isnotnull isnull least nanvl nullif nullifzero
    nvl nvl2 try_cast zeroifnull
"""
_NUMBERS: Final = """
    abs acos asin atan atan2 bit_count bround cbrt ceil ceiling conv cos degrees e exp expm1
    factorial floor getbit hypot ln log log10 log1p log2 mod negative pi pmod positive pow power
    radians rint round shiftleft shiftright sign signum sin sqrt tan to_number try_add try_divide
    try_mod try_multiply try_subtract try_to_number width_bucket
"""
_TEXTS: Final = """
    ascii base64 bit_length btrim char char_length character_length chr concat concat_ws contains
    endswith find_in_set format_number hex initcap instr lcase left len length levenshtein locate
    lower lpad ltrim luhn_check octet_length overlay position regexp_count regexp_extract
    regexp_instr regexp_replace regexp_substr replace reverse right rpad rtrim soundex
    split split_part startswith string substr substring substring_index to_char to_varchar translate
    trim ucase unbase64 unhex upper
"""
_DIGESTS: Final = "crc32 hash md5 sha sha1 sha2 xxhash64"
_MOMENTS: Final = """
    add_months convert_timezone date date_add date_diff date_format date_from_unix_date date_part
    date_sub date_trunc dateadd datediff datepart day dayname dayofmonth dayofweek dayofyear extract
    from_unixtime from_utc_timestamp hour last_day make_date make_timestamp minute month monthname
    months_between next_day quarter second timestamp timestampadd timestampdiff timestamp_micros
    timestamp_millis timestamp_seconds to_date to_timestamp to_timestamp_ntz to_unix_timestamp
    to_utc_timestamp trunc try_to_date try_to_timestamp unix_date unix_micros unix_millis
    unix_seconds weekday weekofyear year
"""
_COLLECTIONS: Final = """
    array array_contains array_distinct array_except array_intersect array_join array_max array_min
    array_position array_remove array_size array_union arrays_overlap cardinality element_at get
    get_json_object json_array_length json_object_keys map_contains_key map_keys map_values
    named_struct size slice sort_array struct try_element_at typeof
"""

FUNCTIONS: Final = AGGREGATES | frozenset(
    " ".join((_WINDOWS, _CONDITIONS, _NUMBERS, _TEXTS, _DIGESTS, _MOMENTS, _COLLECTIONS)).split()
)
"""Names that may stand before an opening parenthesis, in lower case."""

CLOCK: Final = frozenset({"current_date", "current_timestamp", "now"})
"""Functions that ask for the time. They get the clock of the run, as every rule does."""

OPENING: Final = frozenset(
    """
    all and as between by case cross distinct div else except exists filter from group having ilike
    in intersect is join like limit not offset on or outer over select then union using values
    when where with
    """.split()  # noqa: SIM905
)
"""Keywords after which a parenthesis is no call."""

SIZED_TYPES: Final = frozenset({"char", "decimal", "numeric", "varchar"})

_KEYWORDS: Final = """
    anti any asc both cast current desc end escape false first following for full inner interval
    last leading left null nulls order partition preceding range right rlike row rows semi to
    trailing true unbounded within
"""
_TYPES: Final = """
    bigint binary boolean byte date double float int integer long short smallint string timestamp
    timestamp_ltz timestamp_ntz tinyint
"""
_UNITS: Final = """
    century day dayofweek dayofyear days decade dow doy hour hours isoyear microsecond microseconds
    millisecond milliseconds minute minutes month months quarter second seconds week weeks year
    years yearofweek
"""

PLAIN: Final = OPENING | SIZED_TYPES | frozenset(f"{_KEYWORDS} {_TYPES} {_UNITS}".split())
"""Words that may stand without a parenthesis, in lower case. All names of a query are quoted."""

SIGNS: Final = frozenset(
    ("(", ")", ",", ".", "*", "+", "-", "/", "%", "=", "<>", "!=", "<", ">", "<=", ">=", "<=>")
) | frozenset(("||", "&", "|", "^", "~", "[", "]"))
