import { describe, expect, it } from "vitest";
import { callbackOutcomes } from "../../src/job/contracts/callbacks.ts";
import { deliveriesOutcomes } from "../../src/job/contracts/events.ts";
import { errorTable, type ErrorCode } from "../../src/job/contracts/errors.ts";
import { requestOutcomes, type EventOf, type RedriverEvent } from "../../src/job/contracts/events.ts";
import type { DrainName, PassId, SourceId } from "../../src/job/contracts/ids.ts";
import type { PassCounts } from "../../src/job/contracts/tally.ts";
import { createEventLog } from "../../src/telemetry/event-log.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

type Type = RedriverEvent["type"];
/** Without `type`, which the key says. */
type Samples = { readonly [Name in Type]: readonly Omit<EventOf<Name>, "type">[] };

const source = "eu" as SourceId;
const drain = "orders" as DrainName;
const passId = "p" as PassId;
const dlqId = "1-0";
const codes: readonly (ErrorCode | "unexpected")[] = [
  ...(Object.keys(errorTable) as ErrorCode[]),
  "unexpected",
];
const failures = codes.map((code) => ({ code, message: "m" }));
const nothing: PassCounts = {
  listed: 1,
  due: 0,
  republished: 0,
  deduplicated: 0,
  deleted: 0,
  held: 0,
  parked: 1,
  inDoubt: 0,
  comeBacks: 0,
};
const pass = { drain, passId, durationMs: 1 };
const guard = { drain, index: "i", field: "pending_index_count", why: "reading", value: 1 } as const;
const census = { source, depth: 1, unselected: 0, durationMs: 1 };
const adopted = { hash: "h", before: null, at: 1 };

/** Of every event (the compiler asks for each), one of each kind that may have a level of its own. */
const samples: Samples = {
  "pass:opened": [{ drain, passId, kind: "full", mode: "live", from: 0, to: 1 }],
  "pass:closed": [
    { ...pass, outcome: "complete", counts: nothing },
    { ...pass, outcome: "complete", counts: { ...nothing, republished: 1 } },
    { ...pass, outcome: "partial", counts: nothing },
    { ...pass, outcome: "abandoned", counts: nothing },
  ],
  "window:failed": failures.map((failure) => ({ drain, passId, ...failure })),
  "record:decided": [
    {
      drain,
      source,
      mode: "live",
      records: [{ dlqId, decision: { then: "hold", reason: "too-young", rule: null }, explain: () => "e" }],
    },
  ],
  "record:published": [
    {
      drain,
      source,
      records: [{ dlqId, messageId: "m", deduplicated: false, attempt: 1, canary: false, waitedMs: 1 }],
    },
  ],
  "record:come-back": [
    { drain, source, records: [{ dlqId, parentDlqId: "0-0", attempt: 1, canary: false }] },
  ],
  "record:unworkable": [
    { drain, source, dlqId, code: "unexpected", message: "m" },
    { drain, source, dlqId, code: "invariant-broken", message: "m" },
  ],
  "record:settled": [{ drain, source, count: 1 }],
  "newest:limited": [{ drain, letters: 1 }],
  "record:passed-over": [{ source, date: 1 }],
  "archive:copied": [{ source, drain, count: 1 }],
  "archive:failed": [{ source, message: "m" }],
  "archive:volume-seen": [
    { verdict: "fit", complaint: "" },
    { verdict: "doubtful", complaint: "c" },
    { verdict: "unfit", complaint: "c" },
  ],
  "outcome:unknown": [{ drain, source, dlqIds: [dlqId], why: "w" }],
  "double:declared": [{ drain, source, dlqId, why: "released-past-window" }],
  "double:found": [{ drain, source, dlqId, first: "a", second: "b" }],
  "delete:short": [{ source, asked: 2, deleted: 1 }],
  "source:halted": failures.flatMap(({ code, message }) =>
    code === "unexpected" ? [] : [{ source, callClass: "dlq", code, message }],
  ),
  "source:resumed": [{ source }],
  "source:waiting": [{ source, callClass: "dlq", why: "rate-limited", until: 1 }],
  "source:token-read": [
    { source, changed: true },
    { source, changed: false },
  ],
  "source:secret-refused": [{ source, problem: "p" }],
  "source:dates-learned": [{ source, meaning: "entered" }],
  "service:answered": requestOutcomes.map((outcome) => ({
    source,
    operation: "list",
    outcome,
    durationMs: 1,
    status: 200,
  })),
  "source:calls": [
    {
      source,
      inFlight: { list: 1, batch: 0, delete: 0 },
      limits: { list: 4, batch: 4, delete: 4 },
      dlqPerSecond: 49,
    },
  ],
  "ledger:lost-writes": [{ source, expected: "e", got: "g" }],
  "sweep:finished": [
    { source, settled: 0, reconciled: 0, left: 0 },
    { source, settled: 1, reconciled: 0, left: 0 },
  ],
  "sweep:failed": failures.map((failure) => ({ source, ...failure })),
  "census:taken": [
    { ...census, expiringUnarchived: 0 },
    { ...census, expiringUnarchived: 1 },
  ],
  "census:failed": failures.map((failure) => ({ source, ...failure })),
  "guard:closed": [guard],
  "guard:opened": [guard],
  "lane:moved": [
    {
      source,
      drain,
      origin: "https://a.example",
      from: "open",
      to: "halted",
      size: 0,
      why: "2 of 5 failed again, 503",
      sent: 5,
      comeBacks: 2,
    },
    {
      source,
      drain,
      origin: "https://a.example",
      from: "canary",
      to: "ramping",
      size: 50,
      why: "none of 5 failed again",
      sent: 5,
      comeBacks: 0,
    },
  ],
  "deliveries:asked": deliveriesOutcomes.map((outcome) => ({ source, outcome, why: null })),
  "brake:switched-off": [{ source }],
  "service-retry:switched-off": [{ source, why: "405" }],
  "callback:received": callbackOutcomes.map((outcome) => ({ source, outcome, why: null, isNews: true })),
  "statistics:read": [{ index: "i", durationMs: 1 }],
  "statistics:failed": failures.map((failure) => ({ index: "i", ...failure })),
  "notice:delivered": [{ target: "oncall", notices: [{ id: "1", event: "failure.new" }] }],
  "notice:dropped": [{ target: "oncall", notices: [{ id: "1", event: "failure.new" }], why: "w" }],
  "job:failed": failures.map((failure) => ({ kind: "tick", ...failure, givenUp: false })),
  "console:failed": [{ message: "m" }],
  "console:tokens-rejected": [{ file: "f", why: "line 2: w" }],
  "console:page-failed": failures.map((failure) => ({ place: "GET /failures", ...failure })),
  "log:dropped": [{ lines: 3 }],
  "process:warned": [{ name: "MaxListenersExceededWarning", message: "m" }],
  "redis:lost": [{ message: "m" }],
  "redis:ready": [{}],
  "redis:unfit": [{ problems: ["p"] }],
  "redis:fit": [{}],
  "document:adopted": [
    { ...adopted, warnings: [] },
    { ...adopted, warnings: ["w"] },
  ],
  "document:rejected": [{ hash: "h", problems: ["p"] }],
  "daemon:started": [
    { httpAddress: "a", callbackAddress: null, consoleAddress: null, documentHash: "h", version: "v" },
  ],
  "daemon:reloading": [{ why: "w" }],
  "daemon:stopping": [{ why: "w" }],
  "daemon:stopped": [{ clean: true }, { clean: false }],
};

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly code?: ErrorCode | "unexpected";
}

/** What the log has of it. */
function linesOf(type: Type): readonly Line[] {
  return samples[type].map((sample) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    // Each has a log of its own, because what it heard before may lower a level.
    const log = createEventLog(createLogger({ level: "debug", secrets: () => [], destination }));
    log.emit({ type, ...sample } as RedriverEvent);
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0]!) as Line;
  });
}

const levels = ["debug", "info", "warn", "error", "fatal"];
const levelOf = (code: ErrorCode | "unexpected"): string =>
  code === "unexpected" ? "error" : errorTable[code].level;

const page = readDoc("docs/errors.md");
const rows = tableRows(page, ["event", "level", "meaning, and what to do"]).map(
  ([event = "", level = ""]) => ({ event: codeSpans(event)[0] as Type, level }),
);

describe("the events of docs/errors.md", () => {
  it("tells of every event, and of no other, in the order of the code", () => {
    expect(rows.map(({ event }) => event)).toEqual(Object.keys(samples));
  });

  it.each(rows)("has the level of $event as the log has it", ({ event, level }) => {
    const lines = linesOf(event);
    const found = new Set(lines.map((line) => line.level));
    const byCode = lines.every((line) => line.code !== undefined && line.level === levelOf(line.code));
    expect(level).toBe(byCode ? "of its code" : levels.filter((one) => found.has(one)).join(", "));
  });
});
