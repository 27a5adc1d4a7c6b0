import type { SettingName, SettingValues } from "./table.ts";

interface RedisConflict {
  readonly name: SettingName;
  readonly expected: string;
  readonly got: string;
}

/** Where Redis is, told in two ways at once or by halves. Settings that could not be read are left out. */
export function findRedisConflicts(values: Partial<SettingValues>): readonly RedisConflict[] {
  const url = values["redis.url"] === undefined ? null : new URL(values["redis.url"]);
  const sentinels = values["redis.sentinels"];
  const hasSentinels = sentinels !== undefined && sentinels.length > 0;
  const isCluster = values["redis.cluster"] === true;
  const rows: readonly (RedisConflict & { readonly broken: boolean })[] = [
    {
      name: "redis.cluster",
      broken: isCluster && hasSentinels,
      expected: "either redis.cluster or redis.sentinels",
      got: "both",
    },
    {
      name: "redis.clusterNodes",
      broken: values["redis.cluster"] === false && (values["redis.clusterNodes"] ?? []).length > 0,
      expected: "redis.cluster true beside redis.clusterNodes",
      got: "false",
    },
    {
      name: "redis.url",
      broken: isCluster && url !== null && !["", "/", "/0"].includes(url.pathname),
      expected: "no database number beside redis.cluster, which has database 0 alone",
      got: url?.pathname.slice(1) ?? "",
    },
    {
      name: "redis.sentinelName",
      broken: hasSentinels && values["redis.sentinelName"] === undefined,
      expected: "redis.sentinelName beside redis.sentinels",
      got: "none",
    },
    ...(
      [
        "redis.sentinelName",
        "redis.sentinelUser",
        "redis.sentinelPassword",
        "redis.sentinelPasswordFile",
      ] as const
    ).map((name) => ({
      name,
      broken: sentinels?.length === 0 && values[name] !== undefined,
      expected: `redis.sentinels beside ${name}`,
      got: "none",
    })),
    ...(["redis.caFile", "redis.certFile", "redis.keyFile"] as const).map((name) => ({
      name,
      broken: url?.protocol === "redis:" && values[name] !== undefined,
      expected: `a redis.url with rediss:// beside ${name}`,
      got: "redis://, which is without TLS",
    })),
    ...(
      [
        ["redis.certFile", "redis.keyFile"],
        ["redis.keyFile", "redis.certFile"],
      ] as const
    ).map(([name, other]) => ({
      name,
      broken: values[name] !== undefined && values[other] === undefined,
      expected: `${other} beside ${name}`,
      got: "none",
    })),
  ];
  return rows.filter(({ broken }) => broken);
}
