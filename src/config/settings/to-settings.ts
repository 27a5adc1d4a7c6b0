import type { RedisFiles } from "./redis-files.ts";
import type { RedisSettings, Settings } from "./settings.ts";
import type { SettingValues } from "./table.ts";

/** Sections and units by name; frozen in depth. `redisFiles`: what the files of Redis settings hold. */
export function toSettings(values: SettingValues, redisFiles: RedisFiles): Settings {
  return freeze({
    service: freeze({
      url: values["service.url"],
      token: values["service.token"],
      tokenFile: values["service.tokenFile"],
      headerPrefix: values["service.headerPrefix"],
      listTimeoutMs: values["service.listTimeout"],
      batchTimeoutMs: values["service.batchTimeout"],
      deleteTimeoutMs: values["service.deleteTimeout"],
      connectTimeoutMs: values["service.connectTimeout"],
      maxAnswerBytes: values["service.maxAnswerBytes"],
    }),
    redis: toRedisSettings(values, redisFiles),
    drains: freeze({ file: values["drains.file"] }),
    http: freeze({ host: values["http.host"], port: values["http.port"] }),
    callback: freeze({ host: values["callback.host"], port: values["callback.port"] }),
    log: freeze({ level: values["log.level"] }),
    lineage: freeze({
      key: values["lineage.key"],
      keyFile: values["lineage.keyFile"],
      oldKeys: freeze([...values["lineage.oldKeys"]]),
    }),
    ledger: freeze({
      sendByMs: values["ledger.sendBy"],
      networkDelayMs: values["ledger.networkDelay"],
      maxPageAgeMs: values["ledger.maxPageAge"],
      settleGateAgeMs: values["ledger.settleGateAge"],
      settleGateFailedDeletes: values["ledger.settleGateFailedDeletes"],
    }),
    publish: freeze({
      maxItems: values["publish.maxItems"],
      maxBytes: values["publish.maxBytes"],
      maxMessageBytes: values["publish.maxMessageBytes"],
      maxHeaders: values["publish.maxHeaders"],
      maxHeaderBytes: values["publish.maxHeaderBytes"],
      allowHosts: freeze([...values["publish.allowHosts"]]),
      allowSchemes: freeze([...values["publish.allowSchemes"]]),
      allowPrivate: values["publish.allowPrivate"],
    }),
    windows: freeze({ concurrency: values["windows.concurrency"] }),
    memory: freeze({ budget: values["memory.budget"] }),
    sweep: freeze({ everyMs: values["sweep.every"] }),
    shutdown: freeze({ softMs: values["shutdown.soft"], hardMs: values["shutdown.hard"] }),
    passes: freeze({ overlapMs: values["passes.overlap"], abandonAfterMs: values["passes.abandonAfter"] }),
    statistics: freeze({ url: values["statistics.url"], timeoutMs: values["statistics.timeout"] }),
  });
}

function toRedisSettings(values: SettingValues, { ca, cert, key }: RedisFiles): RedisSettings {
  const nodes = values["redis.sentinels"];
  const name = values["redis.sentinelName"];
  const user = values["redis.sentinelUser"];
  const password = values["redis.sentinelPassword"];
  return freeze({
    url: values["redis.url"],
    keyPrefix: values["redis.keyPrefix"],
    caFile: values["redis.caFile"],
    ca,
    certFile: values["redis.certFile"],
    cert,
    keyFile: values["redis.keyFile"],
    key,
    sentinel:
      nodes.length === 0 || name === undefined
        ? undefined
        : freeze({ nodes: freeze([...nodes]), name, user, password }),
    cluster: values["redis.cluster"] ? freeze([...values["redis.clusterNodes"]]) : undefined,
  });
}

function freeze<Value extends object>(value: Value): Readonly<Value> {
  return Object.freeze(value);
}
