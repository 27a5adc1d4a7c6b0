import type { FaultDefinition, FaultKind } from "../../dev/emulator/index.ts";
import type { Dice } from "../rig/dice.ts";

/**
 * How each kind of the emulator's faults is drawn: a kind that the emulator gets and this table lacks does
 * not compile.
 *
 * Left out are lies beyond what redriver promises (docs/guarantees.md, 1), so that what they lead to is no
 * mistake of its: a refused item that registers its deduplication id (`registersDeduplication`), because
 * where that refusal is lost on its way a later hit proves what is not true, and the message is lost; an item
 * refused although it was published (`item-error` with `published`) and a 4xx to a batch that took effect,
 * because what is refused for certain is published again; a 2xx made up for a batch or a delete. A request is
 * held back before it takes effect for at most `longestHoldMs`, which is within what the ledger's inequality
 * leaves.
 */
export const drawEmulatorFault: Readonly<Record<FaultKind, (dice: Dice) => FaultDefinition>> = {
  latency: (dice) => ({
    kind: "latency",
    operation: dice.pick(["any", "batch", "list", "delete"]),
    ms: dice.whole(10, 400),
    toMs: dice.whole(500, 2_500),
    probability: dice.pick([0.3, 0.6, 1]),
  }),
  "stall-answer": (dice) => {
    const operation = dice.pick(["batch", "batch", "list", "delete"] as const);
    const common = {
      kind: "stall-answer",
      operation,
      forMs: dice.whole(1_500, longestHoldMs),
      count: dice.whole(1, 4),
    } as const;
    return dice.chance(0.25)
      ? { ...common, at: "body" as const }
      : { ...common, when: dice.pick(["before", "after"] as const) };
  },
  "drop-answer": (dice) => ({
    kind: "drop-answer",
    operation: dice.pick(operations),
    when: dice.pick(["before", "after"]),
    close: dice.pick(["fin", "reset"]),
    ...often(dice),
  }),
  "cut-answer": (dice) => ({
    kind: "cut-answer",
    operation: dice.pick(operations),
    close: dice.pick(["fin", "reset"]),
    ...often(dice),
  }),
  "malformed-json": (dice) => ({ kind: "malformed-json", operation: dice.pick(operations), ...seldom(dice) }),
  headers: (dice) => ({
    kind: "headers",
    operation: dice.pick(operations),
    headers: dice.pick<Record<string, string>>([
      { "Content-Length": "5" },
      { "Content-Length": "100000000" },
      { "Content-Type": "text/html" },
    ]),
    ...seldom(dice),
  }),
  status: (dice) => {
    const common = { kind: "status", ...often(dice) } as const;
    return dice.pickWeighted<() => FaultDefinition>([
      // Unclear whether it took effect: both are drawn.
      [
        4,
        () => ({
          ...common,
          operation: dice.pick(operations),
          status: dice.pick([500, 502, 503, 504]),
          when: dice.pick(["before", "after"]),
        }),
      ],
      [1, () => ({ ...common, operation: "batch", status: 408, when: dice.pick(["before", "after"]) })],
      [
        2,
        () => ({
          ...common,
          operation: dice.pick(["any", ...operations]),
          status: 429,
          limit: dice.pick(["burst", "daily"]),
          resetInS: dice.whole(1, 3),
        }),
      ],
      // Bisected.
      [
        1,
        () => ({ ...common, operation: "batch", status: dice.pick([400, 412, 413, 422]), ...seldom(dice) }),
      ],
      // The source is halted, and asked again every 30 s.
      [1, () => ({ ...common, operation: "any", status: dice.pick([401, 403, 404, 405]), ...seldom(dice) })],
      [
        1,
        () => ({
          ...common,
          operation: dice.pick(operations),
          status: 200,
          body: "<html>a proxy's page</html>",
          ...seldom(dice),
        }),
      ],
      [1, () => ({ ...common, operation: "list", status: 200, body: '{"messages":[]}' })],
    ])();
  },
  "item-error": (dice) => ({
    kind: "item-error",
    probability: dice.pick([0.05, 0.15, 0.3]),
    ...(dice.chance(0.3) ? { answer: dice.pick([null, { messageId: "" }, "no", []]) } : {}),
  }),
  // Permanent for the letters that it concerns would be a park; once or twice it is bisected.
  "refuse-batch": (dice) => ({ kind: "refuse-batch", destinationContains: "/steady", ...seldom(dice) }),
  "short-answer": (dice) => ({ kind: "short-answer", by: dice.whole(1, 3), ...often(dice) }),
  "long-answer": (dice) => ({ kind: "long-answer", by: dice.whole(1, 3), ...often(dice) }),
  "reordered-answer": (dice) => ({ kind: "reordered-answer", ...often(dice) }),
  "repeat-page": (dice) => ({ kind: "repeat-page", ...often(dice) }),
  "looping-cursor": (dice) => ({ kind: "looping-cursor", ...often(dice) }),
  "endless-list": (dice) => ({ kind: "endless-list", ...seldom(dice) }),
  "half-failed-group": (dice) => ({ kind: "half-failed-group", ...often(dice) }),
  /** Its records are made when it is added. */
  "arriving-records": () => ({ kind: "arriving-records", count: 1 }),
  "lagging-list": (dice) => ({ kind: "lagging-list", forMs: dice.whole(500, 6_000), ...often(dice) }),
  "delete-works-answers-500": (dice) => ({ kind: "delete-works-answers-500", ...often(dice) }),
};

/** Of W = 90 s the inequality leaves 45 s and the network's 1 s beyond the last POST; half of it is used. */
const longestHoldMs = 12_000;

/** A publish is where something can be lost or doubled. */
const operations = ["batch", "batch", "list", "delete"] as const;

/**
 * These say something untrue about positions of a batch answer. Two of them at once could lie about one
 * message unseen.
 */
export const lyingAboutPositions: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "item-error",
  "short-answer",
  "long-answer",
  "reordered-answer",
]);

function often(dice: Dice): { readonly probability?: number; readonly count?: number } {
  return dice.chance(0.5) ? { probability: dice.pick([0.2, 0.5, 1]) } : { count: dice.whole(1, 6) };
}

/** What halts a source for 30 s happens once or twice. */
function seldom(dice: Dice): { readonly count: number; readonly probability: number } {
  return { count: dice.whole(1, 2), probability: 1 };
}
