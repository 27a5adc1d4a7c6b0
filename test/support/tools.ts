/** Programs that are not ours. A test that needs one is skipped without it, and the end of the run says so. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { chromiumPath } from "./chromium.ts";
import { root } from "./markdown.ts";
import { scriptPath } from "./terminal.ts";

/** Where `.ci/get-…` puts them. */
const fetched = path.join(root, ".cache/tools");

/** Names, written by every worker. */
const missed = path.join(root, ".cache/missed-tools");

interface Tool {
  /** What brings it. */
  readonly from: string;
  /** What is not tested without it. */
  readonly without: string;
  /** With these words it ends with 0. A path: it is there. */
  readonly probe?: readonly string[] | string;
}

const tools = {
  kubectl: {
    from: ".ci/get-kubernetes-tools",
    without: "deploy/ is not rendered",
    probe: ["version", "--client"],
  },
  helm: { from: ".ci/get-kubernetes-tools", without: "deploy/chart is not rendered", probe: ["version"] },
  "compose.schema.json": {
    from: ".ci/get-compose-schema",
    without: "deploy/local/compose.yaml is not held against the schema of Compose files",
    probe: path.join(fetched, "compose.schema.json"),
  },
  promtool: {
    from: "apt-get install prometheus",
    without: "rules and metrics are not read by Prometheus's own tool",
  },
  prometheus: { from: "apt-get install prometheus", without: "no Prometheus scrapes" },
  chromium: { from: "apt-get install chromium", without: "the console is not opened", probe: chromiumPath },
  script: { from: "apt-get install bsdutils", without: "the incident is not played", probe: scriptPath },
  "apt-get": { from: "Debian alone", without: "Debian's Redis is not unpacked" },
  jq: { from: "apt-get install jq", without: "docs/archive.md's lines are not played" },
  python3: { from: "apt-get install python3", without: "examples in Python are not run" },
  php: {
    from: "apt-get install php-cli",
    without: "the example in PHP is not run",
    probe: ["-r", "exit(class_exists('PDO') ? 0 : 1);"],
  },
  bash: { from: "apt-get install bash", without: "its completions are not tried" },
  zsh: { from: "apt-get install zsh", without: "its completions are not tried" },
  fish: { from: "apt-get install fish", without: "its completions are not tried" },
} as const satisfies Readonly<Record<string, Tool>>;
export type ToolName = keyof typeof tools;

/** Of PATH, or what was fetched. */
export function pathOf(name: ToolName): string {
  const own = path.join(fetched, name);
  return existsSync(own) ? own : name;
}

export function isHere(name: ToolName): boolean {
  const { probe = ["--version"] }: Tool = tools[name];
  const is = typeof probe === "string" ? existsSync(probe) : spawnSync(pathOf(name), probe).status === 0;
  if (!is) appendFileSync(missed, `${name}\n`);
  return is;
}

/** Before the first test asks. */
export const forgetMissed = (): void => rmSync(missed, { force: true });

/** A line for each that a test of this run asked for in vain. */
export function whatWasMissed(): readonly string[] {
  const names = existsSync(missed) ? readFileSync(missed, "utf8").trim().split("\n") : [];
  return (Object.keys(tools) as readonly ToolName[])
    .filter((name) => names.includes(name))
    .map((name) => `SKIPPED: ${tools[name].without}, because ${name} is not here (${tools[name].from})`);
}
