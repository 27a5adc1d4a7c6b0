import { durationText } from "../../job/rules/durations.ts";
import type { Problem } from "../problem.ts";
import type { SettingName, SettingValues } from "./settings-table.ts";

type Conflict = Pick<Problem, "message"> & { readonly name: SettingName };

/** Settings that are each in range and do not go together. Those that could not be read are left out. */
export function findConflicts(values: Partial<SettingValues>): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  const refuse = (name: SettingName, isBroken: boolean, expected: string, got: string): void => {
    if (isBroken) conflicts.push({ name, message: `expected ${expected}, got ${got}` });
  };
  const isSet = (name: SettingName): boolean => values[name] !== undefined;
  const either = (name: SettingName, other: SettingName): void =>
    refuse(other, isSet(name) && isSet(other), `either ${name} or ${other}`, "both");

  either("service.token", "service.tokenFile");
  either("lineage.key", "lineage.keyFile");
  const { "http.port": port = 0, "callback.port": callbackPort } = values;
  const otherPort = `another port than http.port (${port}), or 0 for any free one`;
  refuse("callback.port", port !== 0 && port === callbackPort, otherPort, "the same");
  const consolePort = values["console.port"] ?? 0;
  const taken = [port, callbackPort ?? 0].filter((one) => one !== 0);
  const free = `another port than http.port (${port}) and callback.port (${callbackPort ?? 0}), 0 or none`;
  refuse("console.port", taken.includes(consolePort), free, "the same");
  const { "console.auth": auth, "console.host": consoleHost = "" } = values;
  const known = "token or headers, because console.host is no loopback address";
  const isOpen = auth === "none" && values["console.port"] !== null && !isLoopback(consoleHost);
  refuse("console.auth", isOpen, known, "none");
  refuse(
    "console.tokenFile",
    auth === "token" && !isSet("console.tokenFile"),
    "a file, because console.auth is token",
    "none",
  );
  refuse(
    "console.proxies",
    auth === "headers" && (values["console.proxies"] ?? []).length === 0,
    "addresses, because console.auth is headers",
    "none",
  );
  const softMs = values["shutdown.soft"] ?? 0;
  const hardMs = values["shutdown.hard"] ?? softMs;
  const later = `at least shutdown.soft (${durationText(softMs)})`;
  refuse("shutdown.hard", hardMs < softMs, later, durationText(hardMs));

  // Where Redis is, given in two ways at once or by halves.
  const url = values["redis.url"] === undefined ? null : new URL(values["redis.url"]);
  const { "redis.sentinels": sentinels, "redis.cluster": isCluster } = values;
  const hasSentinels = sentinels !== undefined && sentinels.length > 0;
  const hasNodes = (values["redis.clusterNodes"] ?? []).length > 0;
  const hasDatabase = url !== null && !["", "/", "/0"].includes(url.pathname);
  refuse(
    "redis.cluster",
    isCluster === true && hasSentinels,
    "either redis.cluster or redis.sentinels",
    "both",
  );
  refuse(
    "redis.clusterNodes",
    isCluster === false && hasNodes,
    "redis.cluster true beside redis.clusterNodes",
    "false",
  );
  refuse(
    "redis.url",
    isCluster === true && hasDatabase,
    "no database number beside redis.cluster, which has database 0 alone",
    url?.pathname.slice(1) ?? "",
  );
  refuse(
    "redis.sentinelName",
    hasSentinels && !isSet("redis.sentinelName"),
    "redis.sentinelName beside redis.sentinels",
    "none",
  );
  for (const part of ["Name", "User", "Password", "PasswordFile"] as const) {
    const name = `redis.sentinel${part}` as const;
    refuse(name, sentinels?.length === 0 && isSet(name), `redis.sentinels beside ${name}`, "none");
  }
  for (const name of ["redis.caFile", "redis.certFile", "redis.keyFile"] as const) {
    const expected = `a redis.url with rediss:// beside ${name}`;
    refuse(name, url?.protocol === "redis:" && isSet(name), expected, "redis://, which is without TLS");
  }
  const [cert, key] = ["redis.certFile", "redis.keyFile"] as const;
  refuse(cert, isSet(cert) && !isSet(key), `${key} beside ${cert}`, "none");
  refuse(key, isSet(key) && !isSet(cert), `${cert} beside ${key}`, "none");
  return conflicts;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
