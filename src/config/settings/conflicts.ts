import { durationText } from "../../rules/durations.ts";
import type { Problem } from "../problem.ts";
import type { SettingName, SettingValues } from "./table.ts";

type Conflict = Pick<Problem, "expected" | "message"> & { readonly name: SettingName };

/** Settings that are each in range and do not go together. Those that could not be read are left out. */
export function findConflicts(values: Partial<SettingValues>): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  const refuse = (name: SettingName, isBroken: boolean, expected: string, got: string): void => {
    if (isBroken) conflicts.push({ name, expected, message: `expected ${expected}, got ${got}` });
  };
  const isSet = (name: SettingName): boolean => values[name] !== undefined;
  const either = (name: SettingName, other: SettingName): void =>
    refuse(other, isSet(name) && isSet(other), `either ${name} or ${other}`, "both");

  either("service.token", "service.tokenFile");
  either("lineage.key", "lineage.keyFile");
  refuseRedis(values, isSet, refuse);
  const { "http.port": httpPort = 0, "callback.port": callbackPort } = values;
  refuse(
    "callback.port",
    httpPort !== 0 && httpPort === callbackPort,
    `another port than http.port (${httpPort}), or 0 for any free one`,
    "the same",
  );
  const softMs = values["shutdown.soft"] ?? 0;
  const hardMs = values["shutdown.hard"] ?? softMs;
  refuse(
    "shutdown.hard",
    hardMs < softMs,
    `at least shutdown.soft (${durationText(softMs)})`,
    durationText(hardMs),
  );
  return conflicts;
}

/** Where Redis is, given in two ways at once or by halves. */
function refuseRedis(
  values: Partial<SettingValues>,
  isSet: (name: SettingName) => boolean,
  refuse: (name: SettingName, isBroken: boolean, expected: string, got: string) => void,
): void {
  const url = values["redis.url"] === undefined ? null : new URL(values["redis.url"]);
  const sentinels = values["redis.sentinels"];
  const hasSentinels = sentinels !== undefined && sentinels.length > 0;
  const isCluster = values["redis.cluster"];
  refuse(
    "redis.cluster",
    isCluster === true && hasSentinels,
    "either redis.cluster or redis.sentinels",
    "both",
  );
  refuse(
    "redis.clusterNodes",
    isCluster === false && (values["redis.clusterNodes"] ?? []).length > 0,
    "redis.cluster true beside redis.clusterNodes",
    "false",
  );
  refuse(
    "redis.url",
    isCluster === true && url !== null && !["", "/", "/0"].includes(url.pathname),
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
  for (const [name, other] of [
    ["redis.certFile", "redis.keyFile"],
    ["redis.keyFile", "redis.certFile"],
  ] as const) {
    refuse(name, isSet(name) && !isSet(other), `${other} beside ${name}`, "none");
  }
}
