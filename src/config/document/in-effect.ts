/** The drains document with what holds besides. Everything is as somebody would write it. */
import { defined } from "../../job/message/defined.ts";
import { isObject } from "../../job/message/json-value.ts";
import { noticeEvents } from "../../job/contracts/notices.ts";
import { asList, asMap, type Raw } from "./checks/raw-document.ts";
import { defaultRuleName } from "./checks/rule-checks.ts";

export const each = "*";

const drain = {
  mode: "plan",
  schedule: { every: "30s", full: "30m" },
  minAge: "2m",
  attempts: { max: 5, wait: ["2m", "10m", "1h", "4h"], then: "park" },
  lane: { canary: 5, watch: "1m", haltAt: "20%", probeEvery: "5m" },
  // Without a lane nothing notices early that a destination is down. So less of what is published can be in vain.
  limits: {
    publish: { withLane: "200/s", withoutLane: "20/s" },
    perHost: { withLane: "auto", withoutLane: "10/s" },
    perPass: 20_000,
    perDay: { withLane: "none", withoutLane: 100_000 },
  },
  flowControl: "none",
  onLoss: "park",
  unknownOutcome: "republish",
  afterLedgerLoss: "republish",
  beforeExpiry: { within: "12h", then: "archive" },
  otherwise: "hold",
} as const;

/** What holds without a word in the document. */
export const builtIn = {
  paused: false,
  archive: { keep: "30d" },
  sources: { [each]: { retention: "3d", dedupWindow: "10m", census: "15m" } },
  defaults: drain,
  drains: { [each]: { ...drain, paused: false, guards: { [each]: { whenStale: "hold" } } } },
  indexes: { [each]: { schedule: { every: "5m" }, period: "1h" } },
  notify: { [each]: { allowPrivate: false, events: noticeEvents, every: "5m" } },
} as const;

/** Of a document that loads. Drains have the keys of `defaults`, which are left out. */
export function toDocumentInEffect(written: unknown): Raw {
  const document = asMap(written);
  const { version, paused = builtIn.paused, archive, sources, defaults, drains } = document;
  const { indexes, notify } = document;
  const [source] = Object.keys(asMap(sources));
  return defined({
    version,
    paused,
    archive: archive && over(builtIn.archive, archive),
    sources: mapped(sources, (one) => over(builtIn.sources[each], one)),
    drains: mapped(drains, (one) => ({ source, ...toDrain(asMap(defaults), asMap(one), paused === true) })),
    indexes: indexes && mapped(indexes, (one) => layered(builtIn.indexes[each], asMap(one))),
    notify: notify && mapped(notify, (one) => over(builtIn.notify[each], one)),
  });
}

/** A drain's keys lie over `defaults`, which lie over what is built in. */
function toDrain(defaults: Raw, own: Raw, isPaused: boolean): Raw {
  const { guards: ofGuards, ...below } = builtIn.drains[each];
  const hasLane = (own["lane"] ?? defaults["lane"]) !== "none";
  const limits = mapped(below.limits, (limit) =>
    isObject(limit) ? limit[hasLane ? "withLane" : "withoutLane"] : limit,
  );
  const { select, guards, rules, tests, ...keys } = layered({ ...below, limits }, defaults, own);
  return defined({
    ...keys,
    paused: isPaused || keys["paused"],
    select,
    guards: guards && asList(guards).map((guard) => over(ofGuards[each], guard)),
    rules: asList(rules).map((rule, index) => ({ name: defaultRuleName(index), ...asMap(rule) })),
    tests,
  });
}

/** Mappings key by key, lists replaced. */
function over(...layers: readonly unknown[]): Record<string, unknown> {
  const maps = layers.map(asMap);
  const keys = new Set(maps.flatMap((map) => Object.keys(map)));
  const entries = [...keys].map((key) => {
    const values = maps.flatMap((map) => (map[key] === undefined ? [] : [map[key]]));
    const last = values.at(-1);
    return [key, isObject(last) ? Object.assign({}, ...values.filter(isObject)) : last];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** A timezone alone is for the cron pattern of a layer below. */
function layered(...layers: readonly Raw[]): Record<string, unknown> {
  let schedule: Raw = {};
  for (const layer of layers.map((one) => asMap(one["schedule"]))) {
    const { every: _every, cron: _cron, timezone, ...others } = schedule;
    const ofCron = layer["cron"] === undefined ? schedule : { ...others, timezone };
    schedule = defined({ ...(layer["every"] === undefined ? ofCron : others), ...layer });
  }
  return { ...over(...layers), schedule };
}

export function mapped(values: unknown, show: (value: unknown, name: string) => unknown): Raw {
  return Object.fromEntries(Object.entries(asMap(values)).map(([name, value]) => [name, show(value, name)]));
}
