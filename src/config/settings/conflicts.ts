import { durationText } from "../../job/rules/durations.ts";
import { misfit, type Problem } from "../problem.ts";
import type { SettingName, SettingValues } from "./settings-table.ts";

type Conflict = Pick<Problem, "message"> & { readonly name: SettingName };
type Check = readonly [name: SettingName, isBroken: boolean, expected: string, got: string];

/** Settings that are each in range and do not go together. Those that could not be read are left out. */
export function findConflicts(values: Partial<SettingValues>): readonly Conflict[] {
  const checks = [...ofDaemon(values), ...ofRedis(values)];
  return checks.flatMap(([name, isBroken, expected, got]) =>
    isBroken ? [{ name, message: misfit(expected, got) }] : [],
  );
}

function either(values: Partial<SettingValues>, name: SettingName, other: SettingName): Check {
  const areBoth = values[name] !== undefined && values[other] !== undefined;
  return [other, areBoth, `either ${name} or ${other}`, "both"];
}

function ofDaemon(values: Partial<SettingValues>): readonly Check[] {
  const { "http.port": port = 0, "callback.port": callbackPort = 0, "console.port": consolePort } = values;
  const { "console.auth": auth, "console.host": host = "", "console.proxies": proxies = [] } = values;
  const { "shutdown.soft": softMs = 0 } = values;
  const { "shutdown.hard": hardMs = softMs } = values;
  const ports = `http.port (${port}) and callback.port (${callbackPort})`;
  const isTaken = (one: number): boolean => one !== 0 && (one === port || one === callbackPort);
  const isOpen = auth === "none" && consolePort !== null && !isLoopback(host);
  const known = "token or headers, because console.host is no loopback address";
  const hasNoFile = auth === "token" && values["console.tokenFile"] === undefined;
  const hasNoProxy = auth === "headers" && proxies.length === 0;
  return [
    either(values, "service.token", "service.tokenFile"),
    either(values, "lineage.key", "lineage.keyFile"),
    [
      "callback.port",
      port !== 0 && port === callbackPort,
      `another port than http.port (${port}), or 0 for any free one`,
      "the same",
    ],
    ["console.port", isTaken(consolePort ?? 0), `another port than ${ports}, 0 or none`, "the same"],
    ["console.auth", isOpen, known, "none"],
    ["console.tokenFile", hasNoFile, "a file, because console.auth is token", "none"],
    ["console.proxies", hasNoProxy, "addresses, because console.auth is headers", "none"],
    [
      "shutdown.hard",
      hardMs < softMs,
      `at least shutdown.soft (${durationText(softMs)})`,
      durationText(hardMs),
    ],
  ];
}

/** Where Redis is, given in two ways at once or by halves. */
function ofRedis(values: Partial<SettingValues>): readonly Check[] {
  const isSet = (name: SettingName): boolean => values[name] !== undefined;
  const url = values["redis.url"] === undefined ? null : new URL(values["redis.url"]);
  const { "redis.sentinels": sentinels, "redis.cluster": isCluster } = values;
  const hasSentinels = sentinels !== undefined && sentinels.length > 0;
  const hasNodes = isCluster === false && (values["redis.clusterNodes"] ?? []).length > 0;
  const hasDatabase = isCluster === true && url !== null && !["", "/", "/0"].includes(url.pathname);
  const noDatabase = "no database number beside redis.cluster, which has database 0 alone";
  const hasNoName = hasSentinels && !isSet("redis.sentinelName");
  const [cert, key] = ["redis.certFile", "redis.keyFile"] as const;
  const ofSentinel = (["Name", "User", "Password", "PasswordFile"] as const).map((part): Check => {
    const name = `redis.sentinel${part}` as const;
    return [name, sentinels?.length === 0 && isSet(name), `redis.sentinels beside ${name}`, "none"];
  });
  const ofTls = (["redis.caFile", cert, key] as const).map((name): Check => {
    const isPlain = url?.protocol === "redis:" && isSet(name);
    return [name, isPlain, `a redis.url with rediss:// beside ${name}`, "redis://, which is without TLS"];
  });
  return [
    ["redis.cluster", isCluster === true && hasSentinels, "either redis.cluster or redis.sentinels", "both"],
    ["redis.clusterNodes", hasNodes, "redis.cluster true beside redis.clusterNodes", "false"],
    ["redis.url", hasDatabase, noDatabase, url?.pathname.slice(1) ?? ""],
    ["redis.sentinelName", hasNoName, "redis.sentinelName beside redis.sentinels", "none"],
    ...ofSentinel,
    ...ofTls,
    [cert, isSet(cert) && !isSet(key), `${key} beside ${cert}`, "none"],
    [key, isSet(key) && !isSet(cert), `${cert} beside ${key}`, "none"],
  ];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
