import * as z from "zod";
import { noticeEvents } from "../../../job/contracts/notices.ts";
import { parseCallbackUrl, parseNotifyUrl, parseServiceUrl } from "../../service-and-callback-urls.ts";
import { common, drain } from "./drain-schema.ts";
import { cronPattern, indexSchedule, timezone } from "./cron-schedule-schema.ts";
import {
  atMostKeys,
  durationFrom,
  positiveDuration,
  flag,
  key,
  line,
  name,
  oneOf,
  parsed,
  notEmpty,
  section,
  secretRef,
  setOf,
  wholeNumber,
} from "./building-blocks.ts";

const callbacks = section({
  url: parsed(parseCallbackUrl, { type: "string", format: "uri" }).meta({
    description: "Address at which the service reaches redriver; the source's id is added to its path.",
  }),
  keys: z
    .array(secretRef, "a list of secrets")
    .min(1, "at least one signing key")
    .max(4, "at most 4 signing keys")
    .meta({ description: "The service's signing keys, the current one and the next." }),
});

/** A census lists everything: more often than this it would only load the service. */
const censusInterval = durationFrom(1_000, "a duration of at least 1s, such as 15m");

const source = section({
  url: key(
    parsed(parseServiceUrl, { type: "string", format: "uri" }),
    "Address of the service; left out: the setting REDRIVER_SERVICE_URL.",
  ),
  id: key(
    name,
    "Its id, part of every key in Redis: keeps its ledger over a rename, or gives it one of its own.",
  ),
  token: key(secretRef, "Where its token is read from; left out: the settings."),
  retention: key(positiveDuration, "How long your plan keeps dead letters."),
  dedupWindow: key(positiveDuration, "How long the service remembers a deduplication id."),
  census: key(censusInterval, "Between two listings without filter: depth, and records no drain selects."),
  listByIds: key(flag, "Whether the service lists by dlqIds, which its interface has for deleting only."),
  urlCredentials: key(
    oneOf(["park", "send"]),
    "park: a message whose address has a user or password waits for a person; send: it is sent there.",
  ),
  callbacks: key(
    callbacks,
    "The service calls back for canaries, so that what became of them is known at once.",
  ),
  watchDeliveries: key(
    flag,
    "Whether the service is asked how much is under way before silence counts: GET /v2/globalParallelism.",
  ),
  serviceRetry: key(
    flag,
    "Whether rules may republish via: service, one POST /v2/dlq/retry/{dlqId} for each message.",
  ),
  brake: key(
    wholeNumber(1, 1_000_000),
    "Deliveries at once to a host, under a flow control key of redriver's own that `redriver brake` pauses at the service.",
  ),
  maxParallelism: key(
    wholeNumber(1, 1_000_000),
    "Deliveries that your plan makes at once; what redriver published and may wait stays below three times that.",
  ),
});

/** What was dropped has to outlive the weekend in which somebody asks for it. */
const keepTime = durationFrom(3 * 86_400_000, "a duration of at least 3d, such as 30d");

const archive = section({
  dir: line("the path of a directory").meta({
    description: "Directory of the archive, on a volume that lasts.",
  }),
  keep: key(keepTime, "How long files are kept."),
  volume: key(
    oneOf(["durable", "ephemeral"]),
    "durable: refuse a volume that ends with the container; ephemeral: accept any, also in memory.",
  ),
});

const index = section({
  id: line("the id of the index").regex(/^[A-Za-z0-9._~-]{1,255}$/, "the id of the index, as in its address"),
  credentials: section({ user: secretRef, password: secretRef }),
  schedule: key(indexSchedule, "When its statistics are read."),
  period: key(oneOf(["1h", "3h", "12h", "1d", "3d", "7d", "30d"]), "What the series span."),
});

const notifyUrlExpected =
  "an http(s) address without spaces, user and fragment, or its place as { file: … } or { env: … }";

const notifyUrl = z.union(
  [parsed(parseNotifyUrl, { type: "string", format: "uri" }), secretRef],
  notifyUrlExpected,
);

const notifyTarget = section({
  url: notifyUrl.meta({
    description: "Where messages are posted to; a secret address as { file } or { env }.",
  }),
  form: oneOf(["events", "slack"]).meta({
    description: "events: CloudEvents 1.0 as JSON; slack: { text, blocks }.",
  }),
  secret: key(secretRef, "Key of the signature (HMAC-SHA256), where it is read from."),
  events: key(setOf(oneOf(noticeEvents), "an event"), "What is told; left out: everything."),
  sources: key(setOf(name, "the name of a source"), "Of these sources; left out: of all."),
  drains: key(setOf(name, "the name of a drain"), "Of these drains; left out: of all."),
  allowPrivate: key(flag, "true: http and private addresses are taken."),
  every: key(
    durationFrom(1_000, "a duration of at least 1s, such as 5m"),
    "How soon the second message of an incident may follow the first; later ones wait longer.",
  ),
  digest: key(cronPattern, "When a summary is sent, as a cron pattern."),
  timezone: key(timezone, "Zone of the digest's pattern; left out: UTC."),
});

function namedMap<Value extends z.ZodType>(value: Value, what: string) {
  return z.record(name, value, `a mapping of names to ${what}`).refine(...atMostKeys(500, what));
}

export const documentSchema = section({
  version: z.literal(1, "1"),
  paused: key(flag, "true: every replica stops before its next batch."),
  archive: key(archive, "Where dead letters are kept before they are dropped or expire."),
  sources: namedMap(source.nullable(), "sources").refine(
    ...notEmpty("at least one source, such as default: {}"),
  ),
  defaults: key(section(common), "What every drain gets."),
  drains: namedMap(drain, "drains"),
  indexes: key(namedMap(index, "indexes"), "Search indexes whose statistics are read."),
  notify: key(
    z.record(name, notifyTarget, "a mapping of names to targets").refine(...atMostKeys(20, "targets")),
    "Where people are told of events.",
  ),
});

export type DocumentKeys = z.output<typeof documentSchema>;
export type SourceKeys = z.output<typeof source>;
export type IndexKeys = z.output<typeof index>;
export type NotifyKeys = z.output<typeof notifyTarget>;
