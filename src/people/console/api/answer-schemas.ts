/**
 * What the API answers. Fields may be added later, so a reader ignores those that it does not know. What is deep
 * and only for people is described as an open object.
 */
import { z } from "zod";
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { auditActs } from "../../../job/contracts/audit.ts";
import { errorTable, type ErrorCode } from "../../../job/contracts/errors.ts";
import { laneStates } from "../../../job/contracts/lanes.ts";
import { planFilter, sharedPlan } from "../../../job/contracts/plans.ts";
import { failureStates } from "../../read/failure-views.ts";
import { saveActs } from "../../operations/status/expiring.ts";
import { apiErrorCodes } from "./refusal.ts";

const count = z.number().int().min(0);
const counts = z.record(z.string(), z.number());
const time = z.number().describe("Unix ms.");
const open = z.looseObject({});
const next = z.string().nullable().describe("For `after`; null: there is no more.");

const owner = z.object({ name: z.string(), at: time });

export const errorAnswer = z.object({
  error: z.object({
    code: z.enum([...(Object.keys(errorTable) as ErrorCode[]), ...apiErrorCodes]),
    message: z.string(),
  }),
});

const destination = z.object({
  origin: z.string(),
  waiting: count,
  unseen: count,
  parked: count,
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
  origin: z.string().nullable(),
  count: count.describe("Each record once."),
  unsent: count.describe("At least so many are sent by nothing but a person's act."),
  isUnsentExact: z.boolean(),
  copied: count.nullable().describe("At least so many have a copy; null: not known."),
  earliestAt: time,
  saves: z.array(z.object({ act: z.enum(saveActs), command: z.string().nullable() })),
});

const outlook = z.object({
  waiting: count,
  heldByRules: count,
  heldByRulesAt: time.nullable(),
  stoppedWaiting: count,
  waitingForAttempt: count,
  waitingForPerson: count,
  waitingForDate: count,
  waitingForProof: count,
  going: count,
  backlog: count,
  perSecond: z.number().nullable(),
  atRateMs: z.number().nullable(),
});

export const statusAnswer = z.object({
  at: time,
  documentHash: z.string().nullable(),
  documentProblems: count,
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
      census: open.nullable(),
      depth: z.object({ count, exact: z.boolean(), stillCounting: z.boolean() }).nullable(),
      expiring,
      shared: open
        .nullable()
        .describe("Records that several drains list: a sum over drains counts them too often."),
      failures: z.array(open),
      hostPauses: z.array(open),
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
      seenAt: time,
    }),
  ),
});

const failure = z.object({
  id: z.string(),
  source: z.string(),
  origin: z.string(),
  status: z.number().nullable(),
  text: z.string(),
  since: time.nullable(),
  firstMetAt: time,
  lastMetAt: time,
  lastSeenAt: time,
  drain: z.string(),
  sample: z.string().nullable(),
  stillCounting: z
    .boolean()
    .describe("Nothing has counted its drains yet: at least so many wait and are parked."),
  waiting: count,
  parked: count,
  arrived: count,
  published: count,
  failedAgain: count,
  failedAgainAs: z
    .array(z.object({ id: z.string(), status: z.number().nullable(), count }))
    .describe("Of those that failed again, what is of another kind now."),
  largestHour: count,
  ruled: counts,
  new: z.boolean(),
  state: z.enum(failureStates),
  owner: owner.nullable().describe("Who works on it, or did until it was resolved."),
  note: z.object({ text: z.string(), ticket: z.string(), by: z.string(), at: time }).nullable(),
  quiet: open.nullable(),
  drains: z.array(open),
});

export const failuresAnswer = z.object({ failures: z.array(failure), total: count, next });

export const failureAnswer = z.object({
  failures: z
    .array(
      failure.extend({
        arrivals: counts.describe("By the hour of entry: Unix time / 1 h."),
        lanes: z.array(z.object({ drain: z.string(), lane: open })),
        decided: open
          .optional()
          .describe("Only with `sample`: what the rules do with one now, values masked."),
      }),
    )
    .describe("One for each source that has met it."),
});

const lane = z.object({
  source: z.string(),
  lane: z.string(),
  step: count,
  drain: z.string(),
  origin: z.string(),
  state: z.enum(laneStates),
  since: time,
  why: z.string(),
  size: count,
  sent: count,
  comeBacks: z.object({ down: count, refused: count }),
  unknown: count,
  nextAt: time.nullable(),
  isShaky: z.boolean(),
  totals: z.object({ canaries: count, comeBacks: count, halts: count }),
  lastUsedAt: time,
  nextInMs: z.number().nullable(),
  awaitsLook: z.boolean(),
  hostPaused: z.boolean(),
  lastProbeAt: time.nullable(),
  waitsFor: z.string().nullable(),
});

export const lanesAnswer = z.object({ lanes: z.array(lane), next });

export const plansAnswer = z.object({ plans: z.array(sharedPlan) });

export const planAnswer = z.object({
  plan: sharedPlan,
  report: z
    .object({
      createdAt: time,
      documentHash: z.string(),
      ledger: z.enum(["there", "none"]),
      filter: planFilter,
      complete: z.boolean(),
      drains: z.array(z.looseObject({ drain: z.string(), host: z.string(), decisions: counts })),
    })
    .nullable()
    .describe(
      "As `redriver plan --json` prints it; null while the plan is not whole, and if another version has made it.",
    ),
});

export const parkedAnswer = z.object({
  source: z.string(),
  parked: z.array(
    z.object({
      dlqId: z.string(),
      drain: z.string(),
      hasDrain: z.boolean(),
      reason: z.enum(parkReasons),
      attempt: count,
      failure: z.string().nullable().describe("Its kind; null: parked by an older version, or not known."),
      enteredAt: time,
      expiresAt: time,
    }),
  ),
  total: count.describe("Of the source, also on other pages."),
  next,
});

export const historyAnswer = z.object({
  acts: z.array(
    z.object({
      at: time,
      since: time,
      act: z.enum(auditActs),
      source: z.string(),
      drain: z.string().nullable(),
      by: z.string(),
      why: z.string().optional(),
      count,
      rule: z.string().nullable().optional(),
      reason: z.string().optional(),
      dlqId: z.string().optional(),
      host: z.string().optional(),
      forMs: z.number().optional(),
      lane: open.optional(),
      hosts: open,
      notes: counts,
      comeBacks: count,
    }),
  ),
  readTo: time.nullable().describe("How far back was read; null: there was nothing."),
  missing: z
    .string()
    .describe("What the filters left out because the audit lacks its host or rule; else empty."),
  next,
});

export const reportAnswer = z.looseObject({
  from: time,
  to: time,
  figures: z.record(z.string(), count.nullable()).describe("Null: `unknown` says why."),
});

export const messageAnswer = z.object({
  dlqId: z.string(),
  source: z.string(),
  enteredAt: time,
  expiresAt: time,
  ledger: open,
  record: z.union([open, z.string()]).describe("Masked; a text: why it was not found."),
  explanation: open.nullable().describe("Null: it was not found, or no drain selects it."),
});

export const rulesAnswer = z.object({
  documentHash: z.string(),
  rules: z.array(
    z.object({
      drain: z.string(),
      rule: z.string(),
      decided: counts,
      published: count.nullable().describe("By this rule; null: nothing is known to be."),
      failedAgain: count.nullable().describe("Of these."),
      asOf: time
        .nullable()
        .describe("End of the last complete pass: what failed again before it is counted."),
    }),
  ),
});

export const indexesAnswer = z.object({
  indexes: z.array(
    z.object({
      name: z.string(),
      id: z.string(),
      period: z.string(),
      reading: open.nullable().describe("The last one; null: none, or it is stale."),
      series: open.nullable(),
      guards: z.array(open),
    }),
  ),
});
