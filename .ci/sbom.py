"""Add the models that are installed to a list of packages, and hold it to its schema: `python .ci/sbom.py sbom.json`.

cyclonedx-py knows packages; a model is data in one of them, with a licence and an origin of its own. Ends with 1 when
there is no model, or when the document is not what CycloneDX says.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from ricordo.models.inventory import known_models, look
from ricordo.models.specs import Spec

Component = dict[str, Any]


def component(spec: Spec) -> Component:
    """A model as CycloneDX has it: its files with digests and licences, and the work that it was made of."""
    files = spec.settled().files
    licences = sorted({file.licence for file in files})
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{spec.name}",
        "name": spec.name,
        "version": "-".join((file.sha256 or "unknown")[:8] for file in files),
        "licenses": [{"license": {"id": licence}} for licence in licences],
        "pedigree": {"ancestors": [{"type": "machine-learning-model", "name": files[0].work}]},
        "components": [
            {
                "type": "file",
                "bom-ref": f"model:{spec.name}/{file.name}",
                "name": file.name,
                "hashes": [{"alg": "SHA-256", "content": file.sha256}],
                "licenses": [{"license": {"id": file.licence}}],
            }
            for file in files
        ],
    }


def main(document: Path) -> int:
    """Add, hold to the schema, write, and print what came of it."""
    listed = json.loads(document.read_text(encoding="utf-8"))
    packages = len(listed["components"])
    models = [component(spec) for spec in known_models() if look(spec).state == "here"]
    listed["components"] += models
    text = f"{json.dumps(listed, indent=2)}\n"
    fault = JsonStrictValidator(SchemaVersion.from_version(listed["specVersion"])).validate_str(text)
    document.write_text(text, encoding="utf-8")
    named = ", ".join(model["name"] for model in models)
    print(f"sbom: {packages} packages, {len(models)} models ({named})" + (f"; not valid: {fault}" if fault else ""))
    return 1 if fault or not models else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
