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

const hurry = (rule: AlertRule): AlertRule => (rule.for === undefined ? rule : { ...rule, for: "1s" });

/** The same rules without patience: each waits a second at most. */
export function withoutPatience({ groups }: RuleSpec): RuleSpec {
  return { groups: groups.map((group) => ({ ...group, rules: group.rules.map(hurry) })) };
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
  alertmanagerUrl?: string,
): Promise<{ get: (path: string) => Promise<unknown> }> {
  const alerting = {
    alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanagerUrl ?? "http://none").host] }] }],
  };
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yml"],
    scrape_configs: [{ job_name: "redriver", static_configs: [{ targets: [new URL(daemonAddress).host] }] }],
    ...(alertmanagerUrl === undefined ? {} : { alerting }),
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

/** An Alertmanager that tells every alert to this webhook at once. Resolves to its address. */
export async function startAlertmanager(webhookUrl: string): Promise<string> {
  const config = {
    route: {
      receiver: "webhook",
      group_by: ["..."],
      group_wait: "1s",
      group_interval: "1s",
      repeat_interval: "1h",
    },
    receivers: [{ name: "webhook", webhook_configs: [{ url: webhookUrl, send_resolved: true }] }],
  };
  const folder = createFolder({ "alertmanager.yml": stringify(config) });
  const port = await freePort();
  startProgram("prometheus-alertmanager", [
    `--config.file=${folder.path}/alertmanager.yml`,
    `--storage.path=${folder.path}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address=",
  ]);
  return `http://127.0.0.1:${port}`;
}
