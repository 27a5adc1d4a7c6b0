import { readFileSync, writeFileSync } from "node:fs";
import type { Recording } from "../../src/demo/outage/recording-file.ts";
import { toOutageSvg } from "./outage-svg.ts";

/** From the root of the repository: docs/lanes-outage.json as a picture beside it. */
const recording = JSON.parse(readFileSync("docs/lanes-outage.json", "utf8")) as Recording;
writeFileSync("docs/lanes-outage.svg", toOutageSvg(recording));
