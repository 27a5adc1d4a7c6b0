import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import type { GenerateOptions } from "./fill/generate-options.ts";
import { operations, type Operation } from "./journal.ts";
import { seededRandom } from "./seeded-random.ts";
import { EmulatorRefusal } from "./refusal.ts";

export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
  /** Which headers its 429 carries; default "burst". */
  readonly kind?: "burst" | "daily" | undefined;
}

/** `dlq`: lists, bulk deletes and retries together. */
export type LimitName = Operation | "dlq";
export type RateLimitsByOperation = Partial<Record<LimitName, RateLimit>>;

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface SigningKeys {
  readonly current: string;
  readonly next: string;
}

/** Everything that can be chosen about an emulator. Whatever is left out has the default named here. */
export interface EmulatorOptions {
  /** Address the message API listens on; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Address of the control API, which has no authentication; default 127.0.0.1, whatever `host` is. */
  readonly controlHost?: string | undefined;
  readonly controlPort?: number | undefined;
  /** Bearer token of the message API; default a random one. */
  readonly token?: string | undefined;
  /** The service's own header prefix; default "Upstash-". */
  readonly headerPrefix?: string | undefined;
  /** Multiplies every wait of the retry ladder; default 1. Exists in the emulator only. */
  readonly retryScale?: number | undefined;
  /** How long a deduplication id is remembered; default 600,000 (10 minutes). */
  readonly dedupWindowMs?: number | undefined;
  /** What that counts from: the first publish of the id (default), or the last that came with it. */
  readonly dedupWindowFrom?: "first" | "last" | undefined;
  /** Dead letters older than this vanish; default never. */
  readonly retentionMs?: number | undefined;
  /** "loopback" (default): other hosts are not called, the attempt fails at once. */
  readonly deliver?: "loopback" | "any" | undefined;
  /** What fromDate and toDate look at: the moment of entry (default) or createdAt. */
  readonly dateFilter?: "entered" | "created" | undefined;
  readonly order?: "earliestFirst" | "latestFirst" | undefined;
  /** What a cursor is: the record that a page ended with (default), or how many records came before it. */
  readonly cursorBy?: "record" | "offset" | undefined;
  /** Whether listings take `dlqIds` and `flowControlKey`, as the production service does (default), or refuse them. */
  readonly listParameters?: "production" | "spec" | undefined;
  /** Base clock; `Emulator.clock.advance` is added to it. */
  readonly clock?: { now(): number } | undefined;
  /** Fault probabilities are drawn from it, so that a run can be repeated; default a random one. */
  readonly seed?: number | undefined;
  /** Instead of `seed`: numbers in [0, 1). */
  readonly random?: (() => number) | undefined;
  readonly statsCredentials?: Credentials | undefined;
  /** Ids of the search indexes that have statistics; default ["demo"]. */
  readonly indexes?: readonly string[] | undefined;
  readonly signingKeys?: SigningKeys | undefined;
  /** Deliveries and callbacks in flight at once, over all destinations; default 64. */
  readonly maxInFlight?: number | undefined;
  /** Applies where a message has no timeout of its own; default 30,000. */
  readonly deliveryTimeoutMs?: number | undefined;
  /** Bytes of one message body; over it 412. Default 1,048,576, at most 52,428,800. */
  readonly maxMessageBytes?: number | undefined;
  /** Retries one message may ask for; over it 412. Default unlimited. */
  readonly maxRetries?: number | undefined;
  /** Stored bytes of a receiver's answer; the rest is cut without a flag. Default 1,048,576. */
  readonly maxResponseBytes?: number | undefined;
  /** What a record's `header` shows: the message's own headers (default), or every header that was sent. */
  readonly recordHeaders?: "forwarded" | "sent" | undefined;
  /** How `responseStatus` says that there was no HTTP answer; default "absent". */
  readonly missingStatus?: "absent" | "zero" | undefined;
  /** Adds `state` and `topicId` to records, as the earlier form of the listing had them. */
  readonly earlierForm?: boolean | undefined;
  /** 429 over the limit of an operation; default no limits. */
  readonly rateLimits?: RateLimitsByOperation | undefined;
  /** Entries the journal keeps; older ones are forgotten, counters stay exact. Default 200,000. */
  readonly journalLimit?: number | undefined;
  /** A file of records, one JSON object a line, that are there before it listens. */
  readonly load?: string | undefined;
  /** Records that are made up before it listens. */
  readonly generate?: GenerateOptions | undefined;
  /** Aborted, it ends a start that is still loading or generating: the start rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

type Defaulted = Omit<
  { [K in keyof EmulatorOptions]-?: Exclude<EmulatorOptions[K], undefined> },
  "seed" | "retentionMs" | "maxRetries" | "load" | "generate" | "signal"
>;

/**
 * One object for the life of an emulator. What may change while it runs (`adjustable`) is changed in place, so it
 * must be read from here at the time of use and never copied.
 */
export interface EmulatorSettings extends Defaulted {
  readonly retentionMs: number;
  readonly maxRetries: number;
  /** Undefined where `random` came from outside. */
  readonly seed: number | undefined;
}

/** JSON has no infinity: null stands for "never" and "unlimited". */
const endless = (schema: z.ZodNumber) => schema.nullable().transform((value) => value ?? Infinity);
const natural = z.number().int().min(0);

const rateLimit = z.strictObject({
  limit: natural,
  windowMs: z.number().int().min(1),
  kind: z.enum(["burst", "daily"]).optional(),
});

/** What may change while the emulator runs. */
const adjustable = {
  order: z.enum(["earliestFirst", "latestFirst"]),
  cursorBy: z.enum(["record", "offset"]),
  dateFilter: z.enum(["entered", "created"]),
  retentionMs: endless(z.number().min(1)),
  retryScale: z.number().min(0).max(1_000),
  dedupWindowMs: natural,
  dedupWindowFrom: z.enum(["first", "last"]),
  deliver: z.enum(["loopback", "any"]),
  missingStatus: z.enum(["absent", "zero"]),
  recordHeaders: z.enum(["forwarded", "sent"]),
  earlierForm: z.boolean(),
  listParameters: z.enum(["production", "spec"]),
  maxMessageBytes: natural,
  maxRetries: endless(natural),
  rateLimits: z.partialRecord(z.enum([...operations, "dlq"]), rateLimit),
  seed: natural.max(2 ** 32 - 1),
} satisfies Partial<Record<keyof EmulatorSettings, z.ZodType>>;

export const adjustmentSchema = z.strictObject(adjustable).partial();
export type Adjustable = Pick<EmulatorSettings, keyof typeof adjustable>;
export type Adjustment = { readonly [K in keyof Adjustable]?: Adjustable[K] | undefined };

export function adjustableOf(settings: EmulatorSettings): Adjustable {
  const names = Object.keys(adjustable) as (keyof Adjustable)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as unknown as Adjustable;
}

/** 50 MB, the largest plan; as JSON, six characters a byte at most, it still fits the longest string there is (2^29). */
const maxMessageBytesEver = 52_428_800;

function refuseTooLarge({ maxMessageBytes }: { readonly maxMessageBytes?: number | undefined }): void {
  if (maxMessageBytes === undefined || maxMessageBytes <= maxMessageBytesEver) return;
  throw new EmulatorRefusal(
    400,
    `maxMessageBytes: expected at most ${maxMessageBytesEver}, got ${maxMessageBytes}`,
  );
}

/** Changes what is given and leaves the rest. A seed starts its sequence anew, also when it is the one in force. */
export function adjust(settings: EmulatorSettings, adjustment: Adjustment): void {
  refuseTooLarge(adjustment);
  const given = Object.fromEntries(Object.entries(adjustment).filter(([, value]) => value !== undefined));
  Object.assign(settings, given, sequenceOf(adjustment.seed));
}

/** Makes the settings again what they were, the random sequence included. */
export function restore(settings: EmulatorSettings, earlier: EmulatorSettings): void {
  Object.assign(settings, earlier, sequenceOf(earlier.seed));
}

const sequenceOf = (seed: number | undefined): Partial<EmulatorSettings> =>
  seed === undefined ? {} : { random: seededRandom(seed) };

const secret = (): string => randomBytes(24).toString("base64url");

export function resolveOptions(options: EmulatorOptions): EmulatorSettings {
  refuseTooLarge(options);
  const seed = options.seed ?? (options.random === undefined ? randomInt(2 ** 32) : undefined);
  return {
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
    controlHost: options.controlHost ?? "127.0.0.1",
    controlPort: options.controlPort ?? 0,
    token: options.token ?? secret(),
    headerPrefix: options.headerPrefix ?? "Upstash-",
    retryScale: options.retryScale ?? 1,
    dedupWindowMs: options.dedupWindowMs ?? 600_000,
    dedupWindowFrom: options.dedupWindowFrom ?? "first",
    retentionMs: options.retentionMs ?? Number.POSITIVE_INFINITY,
    deliver: options.deliver ?? "loopback",
    dateFilter: options.dateFilter ?? "entered",
    order: options.order ?? "earliestFirst",
    cursorBy: options.cursorBy ?? "record",
    listParameters: options.listParameters ?? "production",
    clock: options.clock ?? { now: () => Date.now() },
    seed,
    random: options.random ?? seededRandom(seed ?? 0),
    statsCredentials: options.statsCredentials ?? { username: "emulator", password: secret() },
    indexes: options.indexes ?? ["demo"],
    signingKeys: options.signingKeys ?? { current: `sig_${secret()}`, next: `sig_${secret()}` },
    maxInFlight: options.maxInFlight ?? 64,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? 30_000,
    maxMessageBytes: options.maxMessageBytes ?? 1_048_576,
    maxRetries: options.maxRetries ?? Number.POSITIVE_INFINITY,
    maxResponseBytes: options.maxResponseBytes ?? 1_048_576,
    recordHeaders: options.recordHeaders ?? "forwarded",
    missingStatus: options.missingStatus ?? "absent",
    earlierForm: options.earlierForm ?? false,
    rateLimits: options.rateLimits ?? {},
    journalLimit: options.journalLimit ?? 200_000,
  };
}
