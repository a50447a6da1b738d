"""Ask the Python advisory database about every package installed here: `python .ci/audit.py`.

pip-audit takes a package that the index does not answer for as one to leave out, and ends well. Here that is told: how
many were asked about and how many were not, for a check that could ask about none says nothing. Ends with 1 when a
package is known to be at fault, and with 0 otherwise, also where the database was out of reach: it is no fault of what
is checked.
"""

from __future__ import annotations

import json
import subprocess
import sys

COMMAND = (
    sys.executable,
    "-m",
    "pip_audit",
    "--local",
    "--skip-editable",
    "--format",
    "json",
    "--progress-spinner",
    "off",
)


def main() -> int:
    """Ask, and print what came of it."""
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        print(f"audit: the advisory database is out of reach; nothing was checked\n{done.stderr.strip()[-400:]}")
        return 0
    asked = [package for package in packages if "skip_reason" not in package]
    faulty = [package for package in asked if package["vulns"]]
    for package in faulty:
        for fault in package["vulns"]:
            fixed = ", ".join(fault["fix_versions"]) or "no version yet"
            print(f"audit: {package['name']} {package['version']}: {fault['id']}, mended in {fixed}")
    left = [package["name"] for package in packages if "skip_reason" in package]
    print(f"audit: {len(asked)} packages checked, {len(faulty)} at fault, {len(left)} not answered for")
    if not asked:
        print("audit: nothing was checked: the package index here has no advisories (a mirror may have none)")
    elif left:
        print(f"audit: not checked: {', '.join(sorted(left))}")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
