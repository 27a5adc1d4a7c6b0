import { writeFileSync } from "node:fs";
import { toMetricsPage } from "./metrics-page.ts";

/** From the root of the repository. */
writeFileSync("docs/metrics.md", toMetricsPage());
