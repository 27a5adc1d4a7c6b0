import { expect, it } from "vitest";
import { laneMoveText, reasonText } from "../../../../../src/people/operations/history/rows.ts";
import type { AuditAct, AuditLane } from "../../../../../src/job/contracts/audit.ts";

const why = "2 of 5 failed again, 503";
const origin = "https://pay.example.com";
const lane = (from: AuditLane["from"], to: AuditLane["to"]): AuditLane => ({
  origin,
  from,
  to,
  why,
  sent: 5,
  comeBacks: 2,
});

it.each<[AuditAct, AuditLane, string, string]>([
  ["lane-halted", lane("canary", "halted"), "canary to halted, 5 canaries, 2 back", why],
  ["lane-probe", lane("halted", "halted"), "a probe is asked for", `it was halted: ${why}`],
  ["lane-reset", lane("halted", "canary"), "halted to canary, 5 canaries, 2 back", why],
  ["lane-reset", lane("canary", "canary"), "canary", why],
])("%s tells what became of the lane, and no result of a probe that is only asked for", (...row) => {
  const [act, of, move, reason] = row;
  expect([laneMoveText({ act, lane: of }), reasonText({ act, lane: of })]).toEqual([move, reason]);
});

it("a decision's reason comes before a lane's", () => {
  expect(reasonText({ act: "republish", reason: "due" })).toBe("due");
  expect([laneMoveText({ act: "note" }), reasonText({ act: "note" })]).toEqual([null, null]);
});
