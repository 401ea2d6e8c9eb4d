"""Write the JSON schemas that the package holds for editors and readers, from the records that they describe."""

import json
from pathlib import Path

from fairgroups.audits.result import audit_schema
from fairgroups.cli.config import config_schema
from fairgroups.scans.result import scan_schema

ROOT = Path(__file__).parents[1] / "src/fairgroups"
SCHEMAS = {
    "audits/audit.schema.json": audit_schema,
    "cli/config.schema.json": config_schema,
    "scans/scan.schema.json": scan_schema,
}

if __name__ == "__main__":
    for name, schema in SCHEMAS.items():
        (ROOT / name).write_text(json.dumps(schema(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(name)
