import { onTestFinished } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import { createReceiver, type Receiver } from "./receiver.ts";

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
