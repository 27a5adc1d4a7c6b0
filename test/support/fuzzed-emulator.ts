import { startEmulator } from "../../dev/emulator/index.ts";
import { startConformanceReceiver } from "./conformance-receiver.ts";
import { deadlineMs, expectSane } from "./fuzzing.ts";
import { sendRaw, type RawEnd } from "./raw-http.ts";

export type Header = readonly [string, string];

export type FuzzedEmulator = Awaited<ReturnType<typeof startFuzzedEmulator>>;

const kept = ["1760000000000-0", "1760000000000-1", "1760000000001-0"];

/** An emulator with a URL Group, a queue and a few records, which nothing that is not asked for may touch. */
export async function startFuzzedEmulator() {
  const receiver = await startConformanceReceiver();
  const emulator = await startEmulator({ retryScale: 0, maxRetries: 3, deliveryTimeoutMs: 2_000 });
  const failing = `${receiver.url}/status/500`;
  emulator.putUrlGroup("group", [{ name: "one", url: failing }]);
  emulator.putQueue("queue", 2);
  emulator.dlq.seed(kept.map((dlqId) => ({ dlqId })));

  /** With the token. */
  const send = (
    method: string,
    target: string,
    headers: readonly Header[] = [],
    body?: Buffer,
  ): Promise<RawEnd> => {
    const all: Header[] = [["Authorization", `Bearer ${emulator.token}`], ...headers];
    return sendRaw(emulator.url, { method, target, headers: all, ...(body && { body }) }, deadlineMs);
  };

  const hasEnded = (): Promise<boolean> => {
    const timer = AbortSignal.timeout(15_000);
    const late = new Promise<boolean>((resolve) => {
      timer.addEventListener("abort", () => resolve(false));
    });
    return Promise.race([emulator.idle().then(() => true), late]);
  };

  /**
   * What keeps it from going on as before: nothing, once all that it had accepted has come to its end, a
   * message that fails has become a dead letter, and the records from the start are there.
   */
  const ailments = async (): Promise<string[]> => {
    if (!(await hasEnded())) return [`${emulator.pending} messages have not come to their end`];
    const item = { destination: failing, headers: { "Upstash-Retries": "0" } };
    const answer = await send("POST", "/v2/batch", [], Buffer.from(JSON.stringify([item])));
    const [{ messageId }] = expectSane(answer) as [{ messageId: string }];
    await hasEnded();
    const listed = expectSane(await send("GET", `/v2/dlq?messageId=${messageId}`));
    return [
      ...((listed as { messages: unknown[] }).messages.length === 1 ? [] : ["a message that failed is lost"]),
      ...("polluted" in {} ? ["a body reached the prototype of all objects"] : []),
      ...kept.filter((dlqId) => emulator.dlq.find(dlqId) === undefined).map((dlqId) => `${dlqId} is gone`),
    ];
  };

  return {
    emulator,
    receiverUrl: receiver.url,
    send,
    ailments,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await emulator.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
