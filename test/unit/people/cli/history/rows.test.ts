import { describe, expect, it } from "vitest";
import {
  historyColumns,
  laneMoveText,
  reasonText,
  withProofs,
  type HistoryRow,
} from "../../../../../src/people/operations/history/rows.ts";
import type { AuditAct, AuditLane } from "../../../../../src/job/contracts/audit.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";
import { unknownDrainNote } from "../../../../../src/people/operations/choose-drains.ts";

function row(changes: Partial<HistoryRow>): HistoryRow {
  const source = "eu" as SourceId;
  const drain = "orders" as DrainName;
  return { at: 0, act: "republish", dlqId: "1-0", source, drain, by: "ana", ...changes };
}

/** One column of the table, top to bottom. */
function column(name: keyof typeof historyColumns, rows: readonly HistoryRow[]): readonly string[] {
  return withProofs(rows).map(historyColumns[name]);
}

describe("the table of history", () => {
  const rows = [
    row({ act: "release", reason: "refused", why: "the receiver is fixed", notes: [] }),
    row({ reason: "due", notes: ["group-membership", "group-membership", "schedule-id"], parent: "0-0" }),
  ];

  it("keeps a decision's reason, notes and a person's reason apart", () => {
    expect(column("reason", rows)).toEqual(["refused", "due"]);
    expect(column("why", rows)).toEqual(["the receiver is fixed", "-"]);
  });

  it("says of a delete what went before it, where that is shown", () => {
    expect(
      column("notes", [
        row({ act: "delete" }),
        row({ act: "delete", dlqId: "2-0" }),
        row({ act: "delete", dlqId: "3-0" }),
        row({ act: "drop", dlqId: "2-0" }),
        row({ act: "published" }),
      ]),
    ).toEqual(["after published", "after archived", "-", "-", "-"]);
  });
});

const why = "2 of 5 failed again, 503";
const lane = (from: AuditLane["from"], to: AuditLane["to"]): AuditLane => {
  return { origin: "https://pay.example.com", from, to, why, sent: 5, comeBacks: 2 };
};

it.each<[AuditAct, AuditLane, string, string]>([
  ["lane-halted", lane("canary", "halted"), "canary to halted, 5 canaries, 2 back", why],
  ["lane-probe", lane("halted", "halted"), "a probe is asked for", `it was halted: ${why}`],
  ["lane-reset", lane("canary", "canary"), "canary", why],
])("%s tells what became of the lane, and no result of a probe that is only asked for", (...moved) => {
  const [act, of, move, reason] = moved;
  expect([laneMoveText({ act, lane: of }), reasonText({ act, lane: of })]).toEqual([move, reason]);
});

describe("a drain's name that nothing is known of", () => {
  it("is told, with the names that there are", () => {
    expect(unknownDrainNote("nope", ["orders", "refunds"], 0)).toBe(
      'nothing is known of a drain named "nope"; the document has orders, refunds\n',
    );
  });

  it.each([
    ["none was asked for", undefined, 0],
    ["the document has it", "orders", 0],
    ["it was found: it is of a document from before", "old", 1],
  ])("is none where %s", (_, name, found) => {
    expect(unknownDrainNote(name, ["orders"], found)).toBeNull();
  });
});
