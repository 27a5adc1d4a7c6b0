import { describe, expect, it } from "vitest";
import { judgeDeliveries } from "../../../demo/judge-deliveries.ts";
import type { SentMessage } from "../../../demo/emulator-client.ts";
import { planMessages } from "../../../demo/plan-messages.ts";
import type { WitnessReport } from "../../../demo/receiver.ts";

const addresses = { steadyUrl: "http://127.0.0.1:1", flakyUrl: "http://127.0.0.1:2" };
const plans = planMessages(40, "run", addresses);
const published: readonly SentMessage[] = plans.map((plan, index) => ({
  plan,
  failingMessageId: `msg_${index}`,
}));

/** What a receiver sees, and what is left, when everything goes well. */
const dlq = published
  .filter(({ plan }) => plan.fate !== "redriven")
  .map(({ failingMessageId: messageId }) => ({ messageId }));
const told = plans.filter(({ hasCallbacks }) => hasCallbacks).map(({ id }) => [id, 1] as [string, number]);
const delivered = plans.flatMap((plan) => plan.deliveries.map((key) => [key, 1] as [string, number]));
const witness: WitnessReport = {
  deliveries: new Map(delivered),
  successCallbacks: new Map(told),
  failureCallbacks: new Map(told),
  altered: [],
  unmarked: [],
};
const [someDelivery] = delivered[0] ?? [""];

describe("the publisher's plan", () => {
  it("has every kind of message in 40: 36 to be redriven, 1 held, 3 parked, and 6 delivered twice over a URL Group", () => {
    const fates = plans.map(({ fate }) => fate);
    expect(fates.filter((fate) => fate === "redriven")).toHaveLength(36);
    expect(fates.filter((fate) => fate === "held")).toHaveLength(1);
    expect(fates.filter((fate) => fate === "parked")).toHaveLength(3);
    expect(plans.flatMap(({ deliveries }) => deliveries)).toHaveLength(36 + 6);
    expect(plans.some(({ item }) => item.queue !== undefined)).toBe(true);
  });

  it("gives every message an id of its own, which is in its body", () => {
    const many = planMessages(1_000, "run", addresses);
    expect(new Set(many.map(({ id }) => id)).size).toBe(1_000);
    expect(many.filter(({ id, item }) => !item.body.includes(`"${id}"`))).toEqual([]);
  });
});

describe("the verdict", () => {
  it("finds nothing when the receiver saw everything once and the DLQ holds what the rules held back", () => {
    expect(judgeDeliveries(published, witness, dlq)).toEqual({
      deliveredOnce: 42,
      lost: 0,
      doubled: 0,
      differences: [],
    });
  });

  const [firstTold = ["", 1] as const] = told;
  it.each<{ name: string; change: Partial<WitnessReport>; left?: typeof dlq; says: string }>([
    {
      name: "a lost message",
      change: { deliveries: new Map(delivered.slice(1)) },
      says: `1 had to be delivered and were not: ${someDelivery}`,
    },
    {
      name: "a doubled message",
      change: { deliveries: new Map(delivered).set(someDelivery, 2) },
      says: `1 were delivered more than once: ${someDelivery}`,
    },
    {
      name: "a message that had to be held back",
      change: { deliveries: new Map(delivered).set("/payouts run-9", 1) },
      says: "1 were delivered and should not have been: /payouts run-9",
    },
    {
      name: "an altered message",
      change: { altered: [someDelivery] },
      says: "1 reached the receiver with another",
    },
    {
      name: "a delivery past redriver",
      change: { unmarked: [someDelivery] },
      says: "1 reached the flaky receiver",
    },
    { name: "a held message that is gone", change: {}, left: dlq.slice(1), says: "1 had to stay in the DLQ" },
    {
      name: "a dead letter that is left over",
      change: {},
      left: [...dlq, { messageId: "msg_new" }],
      says: "1 are in the DLQ and should not be: msg_new",
    },
    {
      name: "a callback that was told twice",
      change: { successCallbacks: new Map(told).set(firstTold[0], 2) },
      says: "1 were delivered, but their callback",
    },
    {
      name: "a failure callback that was not told",
      change: { failureCallbacks: new Map(told.slice(1)) },
      says: "1 failed at first, but their failure callback",
    },
  ])("finds $name", ({ change, left, says }) => {
    const { differences } = judgeDeliveries(published, { ...witness, ...change }, left ?? dlq);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain(says);
  });
});
