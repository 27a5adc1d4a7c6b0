import { writeFileSync } from "node:fs";
import { dashboards } from "./dashboards/dashboards.ts";

/** From the root of the repository. */
for (const [file, dashboard] of Object.entries(dashboards)) {
  writeFileSync(file, `${JSON.stringify(dashboard, null, 2)}\n`);
}
