import { randomBytes } from "node:crypto";

export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
}

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
  /** Dead letters older than this vanish; default never. */
  readonly retentionMs?: number | undefined;
  /** "loopback" (default): other hosts are not called, the attempt fails at once. */
  readonly deliver?: "loopback" | "any" | undefined;
  /** What fromDate and toDate look at: the moment of entry (default) or createdAt. */
  readonly dateFilter?: "entered" | "created" | undefined;
  readonly order?: "earliestFirst" | "latestFirst" | undefined;
  /** Base clock; `Emulator.clock.advance` is added to it. */
  readonly clock?: { now(): number } | undefined;
  /** Randomness of fault probabilities, for tests that must repeat. */
  readonly random?: (() => number) | undefined;
  readonly statsCredentials?: Credentials | undefined;
  /** Ids of the search indexes that have statistics; default ["demo"]. */
  readonly indexes?: readonly string[] | undefined;
  readonly signingKeys?: SigningKeys | undefined;
  /** Deliveries and callbacks in flight at once, over all destinations; default 64. */
  readonly maxInFlight?: number | undefined;
  /** Applies where a message has no timeout of its own; default 30,000. */
  readonly deliveryTimeoutMs?: number | undefined;
  /** Bytes of one message body; over it 412. Default 1,048,576. */
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
  /** 429 with burst headers over the limit; default no limits. */
  readonly rateLimits?: Partial<Record<"batch" | "list" | "delete", RateLimit>> | undefined;
  /** Entries the journal keeps; older ones are forgotten, counters stay exact. Default 200,000. */
  readonly journalLimit?: number | undefined;
}

type Defaulted = Omit<
  { [K in keyof EmulatorOptions]-?: Exclude<EmulatorOptions[K], undefined> },
  "retentionMs" | "maxRetries"
>;

export interface Settings extends Defaulted {
  readonly retentionMs: number;
  readonly maxRetries: number;
}

const secret = (): string => randomBytes(24).toString("base64url");

export function resolveOptions(options: EmulatorOptions): Settings {
  return {
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
    controlHost: options.controlHost ?? "127.0.0.1",
    controlPort: options.controlPort ?? 0,
    token: options.token ?? secret(),
    headerPrefix: options.headerPrefix ?? "Upstash-",
    retryScale: options.retryScale ?? 1,
    dedupWindowMs: options.dedupWindowMs ?? 600_000,
    retentionMs: options.retentionMs ?? Number.POSITIVE_INFINITY,
    deliver: options.deliver ?? "loopback",
    dateFilter: options.dateFilter ?? "entered",
    order: options.order ?? "earliestFirst",
    clock: options.clock ?? { now: () => Date.now() },
    random: options.random ?? Math.random,
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
