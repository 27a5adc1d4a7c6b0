import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import type { GenerateOptions } from "./fill/generate-options.ts";
import { operations } from "./journal.ts";
import { EmulatorRefusal } from "./refusal.ts";
import { seededRandom } from "./seeded-random.ts";

/** JSON has no infinity: null stands for "never" and "unlimited". */
const endless = (schema: z.ZodNumber) => schema.nullable().transform((value) => value ?? Infinity);
const natural = z.number().int().min(0);

const rateLimit = z.strictObject({
  limit: natural,
  windowMs: z.number().int().min(1),
  /** Which headers its 429 carries; default "burst". */
  kind: z.enum(["burst", "daily"]).optional(),
});

/** What may change while the emulator runs. */
const adjustable = {
  /** Default "earliestFirst". */
  order: z.enum(["earliestFirst", "latestFirst"]),
  /** What a cursor is: the record that a page ended with (default), or how many records came before it. */
  cursorBy: z.enum(["record", "offset"]),
  /** What fromDate and toDate look at: the moment of entry (default) or createdAt. */
  dateFilter: z.enum(["entered", "created"]),
  /** Dead letters older than this vanish; default never. */
  retentionMs: endless(z.number().min(1)),
  /** Multiplies every wait of the retry ladder; default 1. Exists in the emulator only. */
  retryScale: z.number().min(0).max(1_000),
  /** How long a deduplication id is remembered; default 600,000 (10 minutes). */
  dedupWindowMs: natural,
  /** What that counts from: the first publish of the id (default), or the last that came with it. */
  dedupWindowFrom: z.enum(["first", "last"]),
  /** "loopback" (default): other hosts are not called, the attempt fails at once. */
  deliver: z.enum(["loopback", "any"]),
  /** How `responseStatus` says that there was no HTTP answer; default "absent". */
  missingStatus: z.enum(["absent", "zero"]),
  /** What a record's `header` shows: the message's own headers (default), or every header that was sent. */
  recordHeaders: z.enum(["forwarded", "sent"]),
  /** Adds `state` and `topicId` to records, as the earlier form of the listing had them. */
  earlierForm: z.boolean(),
  /** Whether listings take `dlqIds` and `flowControlKey`, as in production (default), or refuse them. */
  listParameters: z.enum(["production", "spec"]),
  /** Bytes of one message body; over it 412. Default 1,048,576, at most 52,428,800. */
  maxMessageBytes: natural,
  /** Retries one message may ask for; over it 412. Default unlimited. */
  maxRetries: endless(natural),
  /**
   * 429 over the limit of an operation; `dlq` is lists, bulk deletes and retries together. Default no limits.
   */
  rateLimits: z.partialRecord(z.enum([...operations, "dlq"]), rateLimit),
  /** Fault probabilities are drawn from it, so that a run can be repeated; default a random one. */
  seed: natural.max(2 ** 32 - 1),
};

export const adjustmentSchema = z.strictObject(adjustable).partial();
export type Adjustable = Readonly<z.output<z.ZodObject<typeof adjustable>>>;
export type Adjustment = { readonly [K in keyof Adjustable]?: Adjustable[K] | undefined };
export type RateLimitsByOperation = Adjustable["rateLimits"];

/** What is there before it listens. */
export interface StartOptions {
  /** A file of records, one JSON object a line. */
  readonly load?: string | undefined;
  /** Records that are made up. */
  readonly generate?: GenerateOptions | undefined;
  /** Aborted, it ends a start that is still loading or generating: the start rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

type ChosenSettings = Optional<Adjustable & Fixed>;

/** Everything that can be chosen about an emulator. */
export type EmulatorOptions = ChosenSettings & StartOptions;

/**
 * One object for the life of an emulator. What may change while it runs (`adjustable`) is changed in place,
 * so it must be read from here at the time of use and never copied.
 */
export interface EmulatorSettings extends Adjustable, Fixed {
  /** Numbers in [0, 1) that follow from the seed. */
  readonly random: () => number;
}

export function adjustableOf(settings: EmulatorSettings): Adjustable {
  const names = Object.keys(adjustable) as (keyof Adjustable)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as unknown as Adjustable;
}

/**
 * 50 MB, the largest plan; as JSON, six characters a byte at most, it still fits the longest string there is
 * (2^29).
 */
const maxBytesOfPlans = 52_428_800;

/** Changes what is given and leaves the rest. A seed starts its sequence anew, also the one in force. */
export function adjust(settings: EmulatorSettings, adjustment: Adjustment): void {
  const { maxMessageBytes = 0, seed } = adjustment;
  if (maxMessageBytes > maxBytesOfPlans) {
    throw new EmulatorRefusal(
      400,
      `maxMessageBytes: expected at most ${maxBytesOfPlans}, got ${maxMessageBytes}`,
    );
  }
  const given = Object.fromEntries(Object.entries(adjustment).filter(([, value]) => value !== undefined));
  Object.assign(settings, given, seed === undefined ? {} : { random: seededRandom(seed) });
}

const secret = (): string => randomBytes(24).toString("base64url");

/** What stays as it was at the start. */
const fixedDefaults = () => ({
  /** Address the message API listens on. */
  host: "127.0.0.1",
  /** 0: any free port. */
  port: 0,
  /** The control API's, which has no authentication and listens on loopback only, whatever `host` is. */
  controlPort: 0,
  /** Bearer token of the message API. */
  token: secret(),
  /** The service's own header prefix. */
  headerPrefix: "Upstash-",
  /** Base clock; `Emulator.clock.advance` is added to it. */
  clock: { now: () => Date.now() },
  statsCredentials: { username: "emulator", password: secret() },
  /** Ids of the search indexes that have statistics. */
  indexes: ["demo"] as readonly string[],
  signingKeys: { current: `sig_${secret()}`, next: `sig_${secret()}` },
  /** Deliveries and callbacks in flight at once, over all destinations. */
  maxInFlight: 64,
  /** Applies where a message has no timeout of its own. */
  deliveryTimeoutMs: 30_000,
  /** Stored bytes of a receiver's answer; the rest is cut without a flag. */
  maxResponseBytes: 1_048_576,
  /** Entries the journal keeps; older ones are forgotten, counters stay exact. */
  journalLimit: 200_000,
});

type Fixed = Readonly<ReturnType<typeof fixedDefaults>>;
export type Credentials = Fixed["statsCredentials"];

const adjustableDefaults: Adjustable = {
  order: "earliestFirst",
  cursorBy: "record",
  dateFilter: "entered",
  retentionMs: Number.POSITIVE_INFINITY,
  retryScale: 1,
  dedupWindowMs: 600_000,
  dedupWindowFrom: "first",
  deliver: "loopback",
  missingStatus: "absent",
  recordHeaders: "forwarded",
  earlierForm: false,
  listParameters: "production",
  maxMessageBytes: 1_048_576,
  maxRetries: Number.POSITIVE_INFINITY,
  rateLimits: {},
  seed: 0,
};

export function resolveOptions(options: ChosenSettings): EmulatorSettings {
  const settings: EmulatorSettings = { ...fixedDefaults(), ...adjustableDefaults, random: () => 0 };
  adjust(settings, { ...options, seed: options.seed ?? randomInt(2 ** 32) });
  return settings;
}
