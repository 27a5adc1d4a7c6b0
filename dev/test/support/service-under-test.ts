import { startEmulator, type EmulatorOptions } from "../../emulator/index.ts";
import { startConformanceReceiver } from "./conformance-receiver.ts";

/** What the conformance suite (dev/test/contract/service) speaks to. */
export interface ServiceUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly headerPrefix: string;
  readonly receiverUrl: string;
  readonly stats: StatisticsUnderTest;
  readonly controlUrl: string;
  readonly retryScale: number;
}

export interface StatisticsUnderTest {
  readonly url: string;
  /** `<username>:<password>` */
  readonly credentials: string;
  readonly index: string;
}

const retryScale = 0.01;
/** How long an effect may take to show. */
export const waitMs = 10_000;
/** A test waits for at most a few effects. */
export const testTimeoutMs = 3 * waitMs;

export async function startServiceUnderTest(options: EmulatorOptions = {}): Promise<ServiceUnderTest> {
  const receiver = await startConformanceReceiver();
  const emulator = await startEmulator({ retryScale, ...options });
  const { username, password } = emulator.statsCredentials;
  return {
    url: emulator.url,
    token: emulator.token,
    headerPrefix: emulator.headerPrefix,
    receiverUrl: receiver.url,
    stats: { url: emulator.url, credentials: `${username}:${password}`, index: "demo" },
    controlUrl: emulator.controlUrl,
    retryScale,
    [Symbol.asyncDispose]: async () => {
      await emulator.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
