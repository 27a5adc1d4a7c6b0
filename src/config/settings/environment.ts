import { unknownName, type Problem } from "../problem.ts";
import { settingNames, toEnvName, type SettingName } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names that begin with REDRIVER_, name no setting, and are read elsewhere: the settings file, and the tests' Redis. */
export const otherEnvNames = ["REDRIVER_CONFIG_FILE", "REDRIVER_TEST_REDIS_URL"] as const;

/** Names that people have already; read if the setting is not given at all. The last that is set counts. */
const fallbackEnvNames = [
  ["service.url", "QSTASH_URL"],
  ["service.token", "QSTASH_TOKEN"],
  ["proxy.url", "HTTPS_PROXY"],
  ["proxy.url", "https_proxy"],
  ["proxy.except", "NO_PROXY"],
  ["proxy.except", "no_proxy"],
] as const;

const settingByEnvName = new Map<string, SettingName>(settingNames.map((name) => [toEnvName(name), name]));

export interface GivenSetting {
  readonly value: unknown;
  readonly origin: Pick<Problem, "file" | "line" | "column" | "setting">;
}

export type SettingLayer = ReadonlyMap<SettingName, GivenSetting>;

export interface SettingsFound {
  readonly values: SettingLayer;
  readonly problems: readonly Problem[];
}

export function readEnvironment(env: Environment): SettingsFound {
  const values = new Map<SettingName, GivenSetting>();
  const problems: Problem[] = [];
  const serviceLinks = findServiceLinks(env);
  for (const [envName, value] of Object.entries(env)) {
    if (!envName.startsWith("REDRIVER_") || value === undefined || isServiceLink(envName, serviceLinks))
      continue;
    const name = settingByEnvName.get(envName);
    if (name !== undefined) {
      if (value !== "") values.set(name, fromVariable(name, envName, value));
    } else if (!otherEnvNames.some((other) => other === envName)) {
      problems.push(unknownVariable(envName));
    }
  }
  return { values, problems };
}

export function readFallbacks(env: Environment): SettingLayer {
  const values = new Map<SettingName, GivenSetting>();
  for (const [name, envName] of fallbackEnvNames) {
    const value = env[envName];
    if (value) values.set(name, fromVariable(name, envName, value));
  }
  return values;
}

function fromVariable(name: SettingName, envName: string, value: string): GivenSetting {
  return { value, origin: { setting: `${name} (${envName})` } };
}

function unknownVariable(envName: string): Problem {
  const known = [...settingByEnvName.keys(), otherEnvNames[0]];
  const message = unknownName("environment variable", envName, known, "the name of a setting");
  return { setting: "environment", message };
}

/**
 * Kubernetes adds variables for every Service of the namespace (kubernetes.io, "Accessing the Service"): for a Service
 * `redriver` REDRIVER_SERVICE_HOST, REDRIVER_SERVICE_PORT, REDRIVER_PORT=tcp://…, REDRIVER_PORT_9466_TCP and so on.
 * Nobody wrote them as settings. A prefix counts as a Service when both its host and its port address are there.
 */
function findServiceLinks(env: Environment): readonly string[] {
  return Object.keys(env).flatMap((envName) => {
    if (!envName.endsWith("_SERVICE_HOST")) return [];
    const prefix = envName.slice(0, -"_SERVICE_HOST".length);
    return /^(tcp|udp|sctp):\/\//.test(env[`${prefix}_PORT`] ?? "") ? [prefix] : [];
  });
}

function isServiceLink(envName: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => {
    if (!envName.startsWith(`${prefix}_`)) return false;
    const rest = envName.slice(prefix.length + 1);
    return /^(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/.test(
      rest,
    );
  });
}
