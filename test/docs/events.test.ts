import { describe, expect, it } from "vitest";
import { callbackOutcomes } from "../../src/job/contracts/callbacks.ts";
import { errorTable, type ErrorCode } from "../../src/job/contracts/errors.ts";
import {
  deliveriesOutcomes,
  passOutcomes,
  requestOutcomes,
  type RedriverEvent,
} from "../../src/job/contracts/events.ts";
import { createEventLog } from "../../src/telemetry/event-log.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

type Type = RedriverEvent["type"];

/** In the order of the code. */
const types = [...readDoc("src/job/contracts/events.ts").matchAll(/^ {2}readonly "([\w-]+:[\w-]+)":/gm)].map(
  ([, type]) => type as Type,
);
const codes: readonly (ErrorCode | "unexpected")[] = [
  ...(Object.keys(errorTable) as ErrorCode[]),
  "unexpected",
];
const counts = {
  listed: 1,
  due: 0,
  republished: 0,
  deleted: 0,
  held: 0,
  parked: 1,
  inDoubt: 0,
  comeBacks: 0,
};
const decision = { then: "hold", reason: "too-young", rule: null };

/** What the log reads of any event. A `why` and a number stand for all of their kind. */
const ids = {
  drain: "orders",
  source: "eu",
  passId: "p",
  dlqId: "1-0",
  dlqIds: ["1-0"],
  hash: "h",
  before: null,
};
const words = {
  kind: "full",
  why: "w",
  message: "m",
  callClass: "dlq",
  operation: "list",
  from: "open",
  to: "halted",
};
const numbers = {
  date: 1,
  until: 1,
  depth: 1,
  settled: 0,
  reconciled: 0,
  left: 0,
  letters: 1,
  value: 1,
  sent: 5,
};
const parts = { counts, problems: ["p"], notices: [{ id: "1" }], warnings: [], inFlight: {}, limits: {} };
const others = { expiringUnarchived: 0, index: "i", field: "pending_index_count", lines: 3, isNews: true };
const fields = { ...ids, ...words, ...numbers, ...parts, ...others };
const records = [{ dlqId: "1-0", decision, explain: () => "e", attempt: 1 }];

/** Of an event whose level depends on something else than a code. */
const variants: Partial<Readonly<Record<Type, readonly object[]>>> = {
  "pass:closed": [
    ...passOutcomes.map((outcome) => ({ outcome })),
    { outcome: "complete", counts: { ...counts, republished: 1 } },
  ],
  "record:decided": [{ records }],
  "record:published": [{ records }],
  "record:come-back": [{ records }],
  "archive:volume-seen": ["fit", "doubtful", "unfit"].map((verdict) => ({ verdict, complaint: "c" })),
  "source:token-read": [{ changed: true }, { changed: false }],
  "service:answered": requestOutcomes.map((outcome) => ({ outcome })),
  "sweep:finished": [{ settled: 0 }, { settled: 1 }],
  "census:taken": [{ expiringUnarchived: 0 }, { expiringUnarchived: 1 }],
  "lane:moved": [{ to: "halted" }, { to: "ramping" }],
  "deliveries:asked": deliveriesOutcomes.map((outcome) => ({ outcome })),
  "callback:received": callbackOutcomes.map((outcome) => ({ outcome })),
  "document:adopted": [{ warnings: [] }, { warnings: ["w"] }],
  "daemon:stopped": [{ clean: true }, { clean: false }],
};

/** Each of one event with a log of its own, because what it heard before may lower a level. */
function levelsOf(type: Type): string {
  const asked = variants[type] ?? codes.map((code) => ({ code }));
  const found = asked.map((variant) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createEventLog(createLogger({ level: "debug", secrets: () => [], destination }));
    log.emit({ type, ...fields, ...variant } as unknown as RedriverEvent);
    expect(lines).toHaveLength(1);
    return (JSON.parse(lines[0]!) as { readonly level: string }).level;
  });
  const byCode = codes.map((code) => (code === "unexpected" ? "error" : errorTable[code].level));
  if (found.join() === byCode.join()) return "of its code";
  return ["debug", "info", "warn", "error", "fatal"].filter((one) => found.includes(one)).join(", ");
}

const rows = tableRows(readDoc("docs/errors.md"), ["event", "level", "meaning, and what to do"]).map(
  ([event = "", level = ""]) => ({ event: codeSpans(event)[0] as Type, level }),
);

describe("the events of docs/errors.md", () => {
  it("are those of the code, in its order", () => {
    expect(types.length).toBeGreaterThan(50);
    expect(rows.map(({ event }) => event)).toEqual(types);
  });

  it.each(rows)("has the level of $event as the log has it", ({ event, level }) => {
    expect(level).toBe(levelsOf(event));
  });
});
