import { expect } from "vitest";
import type { Rig } from "./rig.ts";

export interface Account {
  /** Messages of which the service accepted one publish, or the receiver got one delivery. */
  readonly once: number;
  /** Those of which there were several. */
  readonly more: number;
}

/**
 * How often each body was accepted by the service, and how often it came to the receiver, by the journals of
 * both.
 */
export function accountOf({ emulator, receiver }: Pick<Rig, "emulator" | "receiver">): {
  readonly accepted: Account;
  readonly delivered: Account;
} {
  const accepted = new Map<string, number>();
  for (const { bodySha256 } of emulator.journal.entries("accepted")) {
    accepted.set(bodySha256, (accepted.get(bodySha256) ?? 0) + 1);
  }
  return { accepted: toAccount(accepted.values()), delivered: toAccount(receiver.counts().values()) };
}

function toAccount(times: Iterable<number>): Account {
  const all = [...times];
  const once = all.filter((count) => count === 1).length;
  return { once, more: all.length - once };
}

/** Nothing is left in the DLQ, and each of so many messages was accepted once and delivered once. */
export async function expectDrainedOnce(
  rig: Pick<Rig, "emulator" | "receiver">,
  messages: number,
): Promise<void> {
  await rig.emulator.idle();
  const each: Account = { once: messages, more: 0 };
  expect({ left: rig.emulator.dlq.size, ...accountOf(rig) }).toEqual({
    left: 0,
    accepted: each,
    delivered: each,
  });
}
