import { startEmulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import { startConformanceReceiver } from "./conformance-receiver.ts";

/**
 * What the conformance suite (test/contract/job/service) speaks to: an emulator of its own, unless the
 * environment names another service.
 *
 *   CONFORMANCE_URL                base address of the message API, without /v2; the rest of this list counts only with it
 *   CONFORMANCE_TOKEN              its bearer token
 *   CONFORMANCE_RECEIVER_URL       base address, reachable from the service, of a server that answers like conformance-receiver.ts
 *   CONFORMANCE_HEADER_PREFIX      prefix of the service's own headers; default "Upstash-"
 *   CONFORMANCE_STATS_URL          base address of the statistics API, without /v2; without it the statistics tests skip
 *   CONFORMANCE_STATS_CREDENTIALS  <username>:<password>
 *   CONFORMANCE_STATS_INDEX        id of a search index that has data
 *   CONFORMANCE_CONTROL_URL        control API, where the service is an emulator; without it rows that no client can produce skip
 *   CONFORMANCE_RETRY_SCALE        factor on the waits between attempts; default 1
 *   CONFORMANCE_WAIT_MS            how long an effect may take to show; default 120,000
 *
 * The suite deletes only records that it made: by dlqIds, or by labels that no other run has. It makes some
 * 500 messages, URL Groups and queues with names of their own, and removes them again where the service lets
 * it.
 */
export interface ServiceUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly headerPrefix: string;
  readonly receiverUrl: string;
  readonly stats: StatisticsUnderTest | undefined;
  readonly controlUrl: string | undefined;
  readonly retryScale: number;
  readonly waitMs: number;
}

export interface StatisticsUnderTest {
  readonly url: string;
  /** `<username>:<password>` */
  readonly credentials: string;
  readonly index: string;
}

export const isElsewhere = process.env["CONFORMANCE_URL"] !== undefined;

const ownRetryScale = 0.01;
const ownWaitMs = 10_000;
const waitElsewhereMs = Number(process.env["CONFORMANCE_WAIT_MS"] ?? 120_000);

/** A test waits for at most a few effects. */
export const testTimeoutMs = 3 * (isElsewhere ? waitElsewhereMs : ownWaitMs);

export async function startServiceUnderTest(options: EmulatorOptions = {}): Promise<ServiceUnderTest> {
  return isElsewhere ? elsewhere() : await ownEmulator(options);
}

async function ownEmulator(options: EmulatorOptions): Promise<ServiceUnderTest> {
  const receiver = await startConformanceReceiver();
  const emulator = await startEmulator({ retryScale: ownRetryScale, ...options });
  const { username, password } = emulator.statsCredentials;
  return {
    url: emulator.url,
    token: emulator.token,
    headerPrefix: emulator.headerPrefix,
    receiverUrl: receiver.url,
    stats: { url: emulator.url, credentials: `${username}:${password}`, index: "demo" },
    controlUrl: emulator.controlUrl,
    retryScale: ownRetryScale,
    waitMs: ownWaitMs,
    [Symbol.asyncDispose]: async () => {
      await emulator.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

function elsewhere(): ServiceUnderTest {
  const statsUrl = process.env["CONFORMANCE_STATS_URL"];
  return {
    url: withoutSlash(needed("CONFORMANCE_URL")),
    token: needed("CONFORMANCE_TOKEN"),
    headerPrefix: process.env["CONFORMANCE_HEADER_PREFIX"] ?? "Upstash-",
    receiverUrl: withoutSlash(needed("CONFORMANCE_RECEIVER_URL")),
    stats:
      statsUrl === undefined
        ? undefined
        : {
            url: withoutSlash(statsUrl),
            credentials: needed("CONFORMANCE_STATS_CREDENTIALS"),
            index: needed("CONFORMANCE_STATS_INDEX"),
          },
    controlUrl: process.env["CONFORMANCE_CONTROL_URL"],
    retryScale: Number(process.env["CONFORMANCE_RETRY_SCALE"] ?? 1),
    waitMs: waitElsewhereMs,
    [Symbol.asyncDispose]: async () => {},
  };
}

function needed(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`CONFORMANCE_URL is set, so ${name} must be set too`);
  return value;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");
