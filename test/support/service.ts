import { onTestFinished } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import { createReceiver, type Receiver } from "./receiver.ts";

let seeded = 0;

/**
 * Dead letters that failed with 503, one after the other, from so long ago on. Answers their ids, whose last numbers count up
 * from call to call.
 */
export function seedLetters(
  { dlq }: Pick<Emulator, "dlq">,
  count: number,
  fieldsOf: (index: number) => Readonly<Record<string, unknown>>,
  { ageMs = 60 * 60_000, everyMs = 1 }: { readonly ageMs?: number; readonly everyMs?: number } = {},
): string[] {
  const at = Date.now() - ageMs;
  return dlq.seed(
    Array.from({ length: count }, (_, index) => ({
      dlqId: `${at + index * everyMs}-${(seeded += 1)}`,
      createdAt: at - 5_000,
      responseStatus: 503,
      maxRetries: 0,
      body: `message ${index}`,
      ...fieldsOf(index),
    })),
  );
}

/** An emulator that retries at once, and a receiver for its deliveries, for one test. */
export async function startService(
  options: EmulatorOptions = {},
): Promise<{ readonly emulator: Emulator; readonly receiver: Receiver }> {
  const emulator = await startEmulator({ retryScale: 0, ...options });
  const receiver = await createReceiver();
  onTestFinished(async () => {
    await emulator.close();
    await receiver.close();
  });
  return { emulator, receiver };
}
