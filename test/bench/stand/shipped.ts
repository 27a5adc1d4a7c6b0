import { resolve } from "node:path";
import { readShipped } from "../../memory/manifest.ts";
import { root } from "../../rig/program.ts";

/** What the shipped manifest gives the daemon. */
export const shipped = readShipped(resolve(root, "deploy/base/deployment.yaml"));
