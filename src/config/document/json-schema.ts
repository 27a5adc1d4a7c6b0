import * as z from "zod";
import { isObject } from "../../job/message/json-value.ts";
import { durationText } from "../../job/rules/durations.ts";
import { rateText } from "../../job/rules/patterns/parse-rate.ts";
import { builtIn } from "./apply-defaults.ts";
import { documentSchema } from "./schema/document-schema.ts";

/**
 * JSON Schema (draft 7, which editors read) of the drains document. It accepts whatever the loader accepts,
 * and less strictly: values with a grammar of their own are described, and what keys mean together is left to
 * `redriver rules check`. `default` is the value that holds if neither the key nor one of `defaults` is there.
 */
export function documentJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(documentSchema, { io: "input", target: "draft-7" });
  return withDefaults({ title: "redriver drains document", ...schema }, defaults);
}

/** The text that is committed as config/schema/drains.schema.json. */
export function documentJsonSchemaText(): string {
  return `${JSON.stringify(documentJsonSchema(), null, 2)}\n`;
}

type Schema = Readonly<Record<string, unknown>>;

const each = "*";

const { source, drain, notify } = builtIn;
const drainDefaults = {
  mode: drain.mode,
  schedule: { every: durationText(drain.schedule.every), full: durationText(drain.schedule.full) },
  minAge: durationText(drain.minAge),
  attempts: { ...drain.attempts, wait: drain.attempts.wait.map(durationText) },
  lane: {
    canary: drain.lane.canary,
    watch: durationText(drain.lane.watch),
    haltAt: `${Math.round(drain.lane.haltAt * 100)}%`,
    probeEvery: durationText(drain.lane.probeEvery),
  },
  limits: {
    publish: byLane(rateText(drain.limits.publish), rateText(drain.limitsWithoutLane.publish)),
    // The rates of `auto` itself are in its description.
    perHost: byLane("auto", rateText(drain.limitsWithoutLane.perHost)),
    perPass: drain.limits.perPass,
    perDay: byLane(drain.limits.perDay ?? "none", drain.limitsWithoutLane.perDay),
  },
  flowControl: drain.flowControl ?? "none",
  onLoss: drain.onLoss,
  unknownOutcome: drain.unknownOutcome,
  afterLedgerLoss: drain.afterLedgerLoss,
  beforeExpiry: { within: durationText(drain.beforeExpiry.within), then: drain.beforeExpiry.then },
  otherwise: drain.otherwise,
};

const defaults = {
  paused: builtIn.paused,
  archive: { keep: durationText(builtIn.archiveKeepMs) },
  sources: {
    [each]: {
      retention: durationText(source.retention),
      dedupWindow: durationText(source.dedupWindow),
      census: durationText(source.census),
    },
  },
  defaults: drainDefaults,
  drains: {
    [each]: {
      ...drainDefaults,
      paused: builtIn.paused,
      guards: { [each]: { whenStale: builtIn.guardWhenStale } },
    },
  },
  indexes: {
    [each]: { schedule: { every: durationText(builtIn.indexEveryMs) }, period: builtIn.indexPeriod },
  },
  notify: { [each]: { ...notify, every: durationText(notify.every) } },
};

function byLane(withLane: unknown, withoutLane: string | number) {
  return { withLane, withoutLane: String(withoutLane) };
}

/** The defaults of a mapping are those of its keys, so that an editor offers each by itself. */
function withDefaults(schema: Schema, value: unknown): Record<string, unknown> {
  if (!isObject(value)) return { ...schema, default: value };
  const { withLane, withoutLane } = value;
  if (typeof withoutLane === "string") {
    const description = `${String(schema["description"])} Without a lane ${withoutLane} unless set.`;
    return { ...schema, description, default: withLane };
  }
  const { properties, additionalProperties, items, anyOf } = schema;
  if (isObject(properties)) {
    const known = Object.entries(properties as Readonly<Record<string, Schema>>).map(([key, one]) => [
      key,
      value[key] === undefined ? one : withDefaults(one, value[key]),
    ]);
    return { ...schema, properties: Object.fromEntries(known) as unknown };
  }
  if (Array.isArray(anyOf)) {
    return { ...schema, anyOf: (anyOf as readonly Schema[]).map((one) => withDefaults(one, value)) };
  }
  const { [each]: ofEach } = value;
  if (isObject(additionalProperties)) {
    return { ...schema, additionalProperties: withDefaults(additionalProperties, ofEach) };
  }
  return isObject(items) ? { ...schema, items: withDefaults(items, ofEach) } : { ...schema };
}
