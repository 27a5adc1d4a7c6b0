import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { resolve } from "node:path";
import { root } from "../rig/program.ts";

const packages = ["bullmq", "ioredis", "undici", "@upstash/qstash"];

/** What the figures depend on besides the code. Called before the first run: load is what others do. */
export function describeMachine(): string {
  const { length } = cpus();
  const model = cpus()[0]?.model.trim() ?? "unknown";
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const redis = /v=(\S+)/.exec(execFileSync("redis-server", ["--version"]).toString())?.[1] ?? "unknown";
  const versions = packages.map((name) => `${name} ${versionOf(name)}`).join(", ");
  return `${length} × ${model}, ${memory} GiB, Linux ${release()}; Node ${process.versions.node}, Redis ${redis}, ${versions}; load ${load} before the run`;
}

function versionOf(name: string): string {
  const file = resolve(root, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
