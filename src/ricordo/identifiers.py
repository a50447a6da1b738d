"""Which tokens name exactly one thing: keys, numbers, addresses, paths, versions, names from code."""

from __future__ import annotations

import re

__all__ = ["names_one_thing"]

_YEAR = r"(?:1[5-9]|20)\d\d"
# Digits and connectors that say how much, when or in what order, as people write them.
_MEASURE = re.compile(
    rf"""
      [^\w:]?\d{{1,3}}\W?                               # 42  -7  50%  $5
    | {_YEAR}(?:-{_YEAR})?                              # 1999  2019-2021
    | {_YEAR}[-./]\d\d?(?:[-./]\d\d?)?                  # 2024-05-03  2024.05
    | \d\d?[-./]\d\d?[-./](?:\d\d)?\d\d                 # 03.05.2024
    | \d\d?:\d\d(?::\d\d)?(?:[ap]m)?                    # 14:30
    | \W?\d+[.,]\d+\W?                                  # 3.14  €12,50
    | \W?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?\W?            # 1,299.99
    | \d{{1,4}}[^\W\d_]{{1,4}}                          # 2nd  90s  20gb  5pm
    | \d{{1,3}}[-/x]\d{{1,3}}                           # 24/7  5-6  12x4
    | \d+(?:[-/][^\W\d_]+)+                             # 18-го  10-year-old
    | (?-i:[a-zа-я]+-)+{_YEAR}s?                        # mid-1990s  post-2008
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAME = re.compile(
    rf"""
      ^\+?\d{{5,}}$ | ^(?!{_YEAR}$)\d{{4}}$             # 79991234567  8472
    | \d{{4}}\W\d{{4}}                                  # 4111-1111
    | :// | .@\w | ^[@\#]\w | ^--\w | ^[.$]\w           # URL  e-mail  @name  #tag  --option  .env  $HOME
    | _                                                 # snake_case
    | ^~?/\w | \\ | /.*[/.] | \.\w+/                    # paths
    | ^\w\w[\w-]*(?:\.[\w-]+)*(?-i:\.[a-z\d]{{2,5}})$   # node.js  example.org
    | \d+\.\d+\.\d                                      # versions, IPv4
    | [\da-f]?:[\da-f]*:[\da-f/]                        # IPv6, MAC
    | (?-i:[a-zа-я][A-ZА-Я])[^.]*$                      # camelCase
    | [^\W\d_]\d\w\w | \w\w[^\W\d_]\d | \w[^\W\d_]\d\w | \d[^\W\d_]+\d   # abc1  1ab2
    | (?-i:[A-Z]{{16}})                                 # a key that happens to have no digit
    | [^\W\d_]-\d | \d-[^\W\d_]                         # ABC-1234
    | ^[^\W\d_]{{1,2}}(?:\+\+|\#)$                      # C++  C#
    """,
    re.VERBOSE | re.IGNORECASE,
)


def names_one_thing(name: str) -> bool:
    """Whether a token, as it was written, names one thing rather than a kind, an amount or a date."""
    return not _MEASURE.fullmatch(name) and _NAME.search(name) is not None
