import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parsePod } from "../rig/pod.ts";
import { root } from "../rig/program.ts";

const manifest = readFileSync(resolve(root, "deploy/base/deployment.yaml"), "utf8");
const { memoryLimitBytes, env } = parsePod(manifest);

/** What the shipped manifest gives the daemon. */
export const shipped = { limitBytes: memoryLimitBytes, nodeOptions: env["NODE_OPTIONS"] ?? "" };
