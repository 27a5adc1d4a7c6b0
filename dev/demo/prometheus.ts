import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { probePort } from "./ports.ts";
import { endProgram, findOnPath, hasEnded, spawnProgram } from "./programs.ts";

const rulesFile = path.resolve(
  import.meta.dirname,
  "../../deploy/components/monitoring/prometheus-rule.yaml",
);
const startTimeoutMs = 20_000;

interface PrometheusOptions {
  readonly command: string;
  /** Where its files go. */
  readonly dir: string;
  readonly metricsUrl: string;
  readonly signal: AbortSignal;
}

/** Throws with what installs it. */
export async function findPrometheus(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const command = await findOnPath(["prometheus"], env);
  if (command === null) {
    throw new Error(
      "--with-prometheus: expected prometheus on PATH; install it, as with `sudo apt-get install prometheus`",
    );
  }
  return command;
}

/** A Prometheus beside the demo, on loopback: it scrapes the daemon every second by the shipped alert rules. */
export async function startPrometheus({ command, dir, metricsUrl, signal }: PrometheusOptions) {
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yaml"],
    scrape_configs: [{ job_name: "redriver", static_configs: [{ targets: [new URL(metricsUrl).host] }] }],
  };
  const file = path.join(dir, "prometheus.yaml");
  await writeFile(path.join(dir, "rules.yaml"), toRules(await readFile(rulesFile, "utf8")));
  // All JSON is YAML.
  await writeFile(file, JSON.stringify(config, null, 2));
  const port = await probePort(0);
  const url = `http://127.0.0.1:${port}`;
  const child = spawnProgram({ command, env: {} }, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${path.join(dir, "prometheus")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const stop = (): Promise<void> => endProgram(child);
  const deadline = Date.now() + startTimeoutMs;
  while (!(await isReady(url))) {
    if (hasEnded(child) || Date.now() > deadline || signal.aborted) {
      await stop();
      throw new Error(`--with-prometheus: ${command} did not start`);
    }
    await sleep(100);
  }
  return { url, stop };
}

/** The `spec` of a PrometheusRule is a file of rules, indented. */
function toRules(manifest: string): string {
  const [, spec = ""] = manifest.split(/^spec:\n/m);
  return spec;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/-/ready`);
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
