import { readFileSync } from "node:fs";
import { parsePod } from "../rig/pod.ts";

export interface Shipped {
  readonly limitBytes: number;
  readonly nodeOptions: string;
}

/** What the shipped manifest gives the daemon. */
export function readShipped(file: string): Shipped {
  const { memoryLimitBytes, env } = parsePod(readFileSync(file, "utf8"));
  return { limitBytes: memoryLimitBytes, nodeOptions: env["NODE_OPTIONS"] ?? "" };
}
