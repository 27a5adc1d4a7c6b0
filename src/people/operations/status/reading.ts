import { z } from "zod";
import { count, defineReading, open, owner, time } from "../reading.ts";
import { saveActs } from "./expiring.ts";

const destination = z.object({
  origin: z.string(),
  waiting: count,
  unseen: count,
  parked: count,
  expiredSince: time.optional().describe("Some of these may have expired since then."),
  arrived: count,
  published: count,
  failedAgain: count,
  lane: open.nullable(),
  isPaused: z.boolean(),
  pause: open.nullable(),
  heldByRules: count,
  isHeldByRules: z.boolean().describe("Rules hold all that waits there."),
  failingSince: time.nullable(),
  owners: z.array(owner).describe("Who works on all that waits or is parked there."),
  ownersOfKinds: z
    .array(owner.extend({ failure: z.string() }))
    .describe("Who works on which of its kinds, if nobody works on others."),
});

const expiring = z.object({
  count: count.nullable().describe("Null: not everything is counted yet."),
  atLeast: count,
  by: time,
  asOf: time.nullable(),
});

const expiringGroup = z.object({
  source: z.string(),
  drains: z.array(z.string()).describe("Those that list them; empty: no drain selects them."),
  failure: z.string().nullable(),
  owner: owner.nullable().describe("Who works on that kind."),
  origin: z.string().nullable(),
  count: count.describe("Each record once."),
  unsent: count.describe("At least so many are sent by nothing but a person's act."),
  isUnsentExact: z.boolean(),
  copied: count.nullable().describe("At least so many have a copy; null: not known."),
  earliestAt: time.describe("None expires before. In the past: some may be gone since."),
  inFirstHour: count.nullable().describe("Of them, in the hour of `earliestAt`; null: not known."),
  saves: z.array(
    z.object({
      act: z.enum(saveActs),
      command: z.string().nullable(),
      advice: z
        .string()
        .optional()
        .describe("Of what a release alone would only park again: what comes first."),
    }),
  ),
});

const outlook = z.object({
  waiting: count,
  heldByRules: count,
  heldByRulesAt: time.nullable(),
  stoppedWaiting: count,
  waitingForAttempt: count,
  waitingForPerson: count,
  waitingForDate: count,
  waitingAfterRefusal: count,
  waitingForDay: count,
  waitingForProof: count,
  going: count,
  backlog: count,
  perSecond: z.number().nullable(),
  atRateMs: z.number().nullable(),
});

const answer = z.object({
  at: time,
  documentHash: z.string().nullable(),
  documentProblems: count,
  redisFit: z.boolean().describe("False: nothing new is begun, see redriver doctor."),
  expiring: expiring.extend({
    unsent: z.object({ atLeast: count, isExact: z.boolean(), earliestAt: time.nullable() }),
    groups: z.array(expiringGroup).describe("The earliest first."),
  }),
  drains: z.array(
    z
      .looseObject({
        drain: z.string(),
        source: z.string(),
        mode: z.enum(["plan", "live"]).nullable(),
        paused: open.nullable(),
        stillCounting: z.boolean(),
        outlook,
        destinations: z.array(destination),
        guards: z.array(z.object({ index: z.string(), effect: z.enum(["open", "closed"]) })),
        nextPassAt: time.nullable(),
        hostRates: z.array(open).nullable(),
        inDoubt: count.optional(),
        due: count.optional(),
        held: count.optional(),
        parked: count.optional(),
      })
      .describe("After the first pass also what it counted, as `redriver status --json` has it."),
  ),
  sources: z.array(
    z.looseObject({
      source: z.string(),
      triedAgainAt: time.nullable(),
      listed: z
        .object({ at: time.nullable(), isLate: z.boolean() })
        .describe("When all of it was last listed without a fault; late: what is there now is not known."),
      census: open.nullable(),
      depth: z.object({ count, exact: z.boolean(), stillCounting: z.boolean() }).nullable(),
      expiring,
      shared: open
        .nullable()
        .describe(
          "Records that several drains list: a sum over drains counts them too often, if `isAtMost` at most so often.",
        ),
      failures: z.array(open),
      hostPauses: z.array(open),
      servicePauses: z
        .array(z.object({ calls: z.enum(["publish", "list, delete"]), until: time }))
        .describe("Until when the service asked not to be called (429)."),
      brakes: z
        .array(open)
        .nullable()
        .describe("Flow control keys of ours, paused at the service; null: not known."),
      lanes: open.nullable(),
    }),
  ),
  replicas: z.array(
    z.looseObject({
      replica: z.string(),
      version: z.string(),
      documentHash: z.string(),
      sameDocument: z.boolean(),
      rejected: z.string().nullable(),
      modes: z
        .record(z.string(), z.enum(["plan", "live", "paused"]))
        .optional()
        .describe("By drain, of its document. Absent: an older build does not tell."),
      seenAt: time,
    }),
  ),
});

export const statusReading = defineReading({
  path: "/status",
  summary: "What waits, where and until when, as redriver status --json prints it",
  needs: "names",
  input: z.strictObject({}),
  answer,
  run: ({ recent }) => recent.status(),
});
