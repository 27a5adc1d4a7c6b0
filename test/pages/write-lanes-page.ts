import { writeFileSync } from "node:fs";
import { toLanesPage } from "./lanes-page.ts";

/** From the root of the repository. */
writeFileSync("docs/lanes.md", toLanesPage());
