import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import type { ServeOrder } from "./delivery/concurrency-limits.ts";
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
  kind: z.enum(["burst", "daily"]).optional(),
});

/** What may change while the emulator runs. What each option means is in docs/internals/emulator.md. */
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
  invalidItems: z.enum(["refuse-batch", "answer-error"]),
  refusedIds: z.enum(["free", "taken"]),
  listParameters: z.enum(["production", "spec"]),
  maxMessageBytes: natural,
  maxRetries: endless(natural),
  rateLimits: z.partialRecord(z.enum([...operations, "dlq"]), rateLimit),
  seed: natural.max(2 ** 32 - 1),
};

export const adjustmentSchema = z.strictObject(adjustable).partial();
export type Adjustable = Readonly<z.output<z.ZodObject<typeof adjustable>>>;
export type Adjustment = Chosen<Adjustable>;
export type RateLimitsByOperation = Adjustable["rateLimits"];

/** What is there before it listens. */
export interface StartOptions {
  readonly load?: string | undefined;
  readonly generate?: GenerateOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Chosen<T> = { readonly [K in keyof T]?: T[K] | undefined };
type ChosenSettings = Chosen<Adjustable & Fixed>;

export type EmulatorOptions = ChosenSettings & StartOptions;

/**
 * One object for the life of an emulator. What may change while it runs (`adjustable`) is changed in place.
 * So it must be read from here at the time of use and never copied.
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

export const newSigningKey = (): string => `sig_${secret()}`;

/** What stays as it was at the start; the signing keys do until they are rotated. */
const fixedDefaults = () => ({
  host: "127.0.0.1",
  port: 0,
  /** The control API's, which has no authentication and listens on loopback only, whatever `host` is. */
  controlPort: 0,
  token: secret(),
  headerPrefix: "Upstash-",
  clock: { now: () => Date.now() },
  statsCredentials: { username: "emulator", password: secret() },
  indexes: ["demo"] as readonly string[],
  signingKeys: { current: newSigningKey(), next: newSigningKey() },
  maxInFlight: 64,
  serveOrder: "first" as ServeOrder,
  deliveryTimeoutMs: 30_000,
  maxResponseBytes: 1_048_576,
  journalLimit: 200_000,
  logLimit: 20_000,
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
  invalidItems: "refuse-batch",
  refusedIds: "free",
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
