"""The build step that makes the data of ricordo-e5 when it is not there yet."""

from __future__ import annotations

import logging
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelData(BuildHookInterface[Any]):
    """Runs before every build: wheel, editable and source distribution. A source distribution carries no data."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            return
        sys.path.insert(0, self.root)  # a build back-end does not run with the project's folder on its path
        from ricordo_e5_build.package import Choice, build, is_built

        logging.basicConfig(format="%(message)s", level=logging.INFO)
        if is_built(Choice()):
            self.app.display_info("The model is built already")
        else:
            build(Choice())
