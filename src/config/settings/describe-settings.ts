import { stringify } from "yaml";
import { durationText } from "../duration-text.ts";
import type { Settings } from "./settings.ts";

/** The effective settings as YAML in the form of a settings file; secrets are told as "[set]" or "[unset]", which no file may hold. */
export function describeSettings(settings: Settings): string {
  const { service, redis, http, lineage, ledger, publish, windows, sweep, shutdown, passes, statistics } =
    settings;
  return stringify({
    service: {
      url: service.url ?? null,
      token: presence(service.token),
      tokenFile: service.tokenFile ?? null,
      headerPrefix: service.headerPrefix,
      listTimeout: durationText(service.listTimeoutMs),
      batchTimeout: durationText(service.batchTimeoutMs),
      deleteTimeout: durationText(service.deleteTimeoutMs),
      connectTimeout: durationText(service.connectTimeoutMs),
      maxAnswerBytes: service.maxAnswerBytes,
    },
    redis: {
      url: withoutPassword(redis.url),
      caFile: redis.caFile ?? null,
      certFile: redis.certFile ?? null,
      keyFile: redis.keyFile ?? null,
      sentinels: [...(redis.sentinel?.nodes ?? [])],
      sentinelName: redis.sentinel?.name ?? null,
      sentinelUser: presence(redis.sentinel?.user),
      sentinelPassword: presence(redis.sentinel?.password),
      cluster: redis.cluster !== undefined,
      clusterNodes: [...(redis.cluster ?? [])],
      keyPrefix: redis.keyPrefix,
    },
    drains: { file: settings.drains.file },
    http: { host: http.host, port: http.port },
    callback: { host: settings.callback.host, port: settings.callback.port },
    log: { level: settings.log.level },
    lineage: {
      key: presence(lineage.key),
      keyFile: lineage.keyFile ?? null,
      oldKeys: lineage.oldKeys.map(() => "[set]"),
    },
    ledger: {
      sendBy: durationText(ledger.sendByMs),
      networkDelay: durationText(ledger.networkDelayMs),
      maxPageAge: durationText(ledger.maxPageAgeMs),
      settleGateAge: durationText(ledger.settleGateAgeMs),
      settleGateFailedDeletes: ledger.settleGateFailedDeletes,
    },
    publish: { ...publish, allowHosts: [...publish.allowHosts], allowSchemes: [...publish.allowSchemes] },
    windows: { concurrency: windows.concurrency },
    memory: { budget: settings.memory.budget },
    sweep: { every: durationText(sweep.everyMs) },
    shutdown: { soft: durationText(shutdown.softMs), hard: durationText(shutdown.hardMs) },
    passes: { overlap: durationText(passes.overlapMs), abandonAfter: durationText(passes.abandonAfterMs) },
    statistics: { url: statistics.url, timeout: durationText(statistics.timeoutMs) },
  });
}

function presence(secret: string | undefined): "[set]" | "[unset]" {
  return secret === undefined ? "[unset]" : "[set]";
}

/** The address with `[set]` in place of user and password, and without its query, which may hold a password too. */
function withoutPassword(address: string): string {
  const { protocol, username, password, host, pathname } = new URL(address);
  return `${protocol}//${username === "" && password === "" ? "" : "[set]@"}${host}${pathname}`;
}
