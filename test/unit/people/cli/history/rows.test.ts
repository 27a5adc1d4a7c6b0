import { expect, it } from "vitest";
import {
  historyColumns,
  laneMoveText,
  reasonText,
  withProofs,
  type HistoryRow,
} from "../../../../../src/people/operations/history/rows.ts";
import type { AuditAct, AuditLane } from "../../../../../src/job/contracts/audit.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";

function row(changes: Partial<HistoryRow>): HistoryRow {
  const source = "eu" as SourceId;
  const drain = "orders" as DrainName;
  return { at: 0, act: "republish", dlqId: "1-0", source, drain, by: "ana", ...changes };
}

it("the table of history says of a delete what went before it, where that is shown", () => {
  const rows = [
    row({ act: "delete" }),
    row({ act: "delete", dlqId: "2-0" }),
    row({ act: "delete", dlqId: "3-0" }),
    row({ act: "drop", dlqId: "2-0" }),
    row({ act: "published" }),
  ];
  const notes = withProofs(rows).map(historyColumns.notes);
  expect(notes).toEqual(["after published", "after archived", "-", "-", "-"]);
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
