import type { Settings } from "./settings.ts";
import type { SettingValues } from "./table.ts";

/** Sections and units by name; frozen in depth. */
export function toSettings(values: SettingValues): Settings {
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
    redis: freeze({ url: values["redis.url"], keyPrefix: values["redis.keyPrefix"] }),
    drains: freeze({ file: values["drains.file"] }),
    http: freeze({ host: values["http.host"], port: values["http.port"] }),
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
    publish: freeze({ maxItems: values["publish.maxItems"], maxBytes: values["publish.maxBytes"] }),
    windows: freeze({ concurrency: values["windows.concurrency"] }),
    sweep: freeze({ everyMs: values["sweep.every"] }),
    shutdown: freeze({ softMs: values["shutdown.soft"], hardMs: values["shutdown.hard"] }),
    passes: freeze({ overlapMs: values["passes.overlap"], abandonAfterMs: values["passes.abandonAfter"] }),
    statistics: freeze({ url: values["statistics.url"], timeoutMs: values["statistics.timeout"] }),
  });
}

function freeze<Value extends object>(value: Value): Readonly<Value> {
  return Object.freeze(value);
}
