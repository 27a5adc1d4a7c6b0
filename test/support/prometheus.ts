import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { createFolder } from "./command.ts";
import { readDoc } from "./markdown.ts";
import { freePort } from "./redis-servers.ts";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

export interface RuleSpec {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

/** The shipped alert rules, as Prometheus reads them. */
export function readRules(): RuleSpec {
  return (parse(readDoc("deploy/components/monitoring/prometheus-rule.yaml")) as { readonly spec: RuleSpec })
    .spec;
}

/** A Debian program on loopback; killed with its test. */
function startProgram(name: string, args: readonly string[]): void {
  const child = spawn(name, args, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
}

/** A Prometheus that scrapes this daemon and evaluates these rules, each every second. */
export async function startPrometheus(
  daemonAddress: string,
  rules: RuleSpec,
): Promise<{ get: (path: string) => Promise<unknown> }> {
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yml"],
    scrape_configs: [{ job_name: "redriver", static_configs: [{ targets: [new URL(daemonAddress).host] }] }],
  };
  const folder = createFolder({ "rules.yml": stringify(rules), "prometheus.yml": stringify(config) });
  const port = await freePort();
  startProgram("prometheus", [
    `--config.file=${folder.path}/prometheus.yml`,
    `--storage.tsdb.path=${folder.path}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  return { get: async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json() };
}
