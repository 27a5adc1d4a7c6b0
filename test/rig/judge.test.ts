import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../dev/emulator/index.ts";
import { createDeclarations, lossReason } from "./declarations.ts";
import { createJudge, type Evidence } from "./judge.ts";
import type { Letter } from "./letters.ts";

const dedupWindowMs = 90_000;
const letter: Letter = { dlqId: "1000-1", root: "m-1", fate: "republish", bodySha256: "sha" };
const silent: Evidence = { declarations: () => [], story: () => "nothing", losses: [] };
const end = Number.POSITIVE_INFINITY;

/** A journal in the making, and a judge that reads it. */
function court(letters: readonly Letter[] = [letter]) {
  const judge = createJudge({ dedupWindowMs, isRepublished: (status) => status === 503, now: () => 0 });
  for (const one of letters) judge.born(one, 0);
  let seq = 0;
  const read = (at: number, entry: object): void => {
    judge.read({ ...entry, seq: (seq += 1), at } as JournalEntry);
  };
  return {
    judge,
    accepted: (at: number, deduplicationId: string, messageId: string, bodySha256 = "sha") =>
      read(at, { type: "accepted", url: "u", position: 0, deduplicationId, messageId, bodySha256 }),
    deleted: (at: number, dlqIds: readonly string[], by = "ids") => read(at, { type: "deleted", dlqIds, by }),
    retried: (at: number, dlqId: string, newMessageId: string, bodySha256 = "sha") => {
      read(at, { type: "accepted", url: "u", position: 0, messageId: newMessageId, bodySha256 });
      read(at, { type: "deleted", dlqIds: [dlqId], by: "retry" });
      read(at, { type: "retried", dlqId, messageId: "m", newMessageId });
    },
    died: (at: number, messageId: string, dlqId: string, responseStatus = 503) =>
      read(at, { type: "dead-lettered", messageId, dlqId, url: "u", responseStatus }),
    broken: () => judge.violations.map(({ rule }) => rule),
  };
}

describe("the judge", () => {
  it("finds nothing wrong with one acceptance and a delete after it", () => {
    const { judge, accepted, deleted, broken } = court();
    accepted(1, "redriver-1000-1", "a");
    deleted(2, ["1000-1"]);
    judge.explainDoubles(silent, end);
    expect(broken()).toEqual([]);
    expect(judge.takeUnproven()).toEqual([]);
    expect(judge.letters.get("1000-1")?.deleted).toEqual({ seq: 2, at: 2, by: "ids" });
  });

  it("asks the archive about what was deleted before an acceptance, also where one follows", () => {
    const { judge, accepted, deleted } = court();
    deleted(1, ["1000-1"]);
    accepted(2, "redriver-1000-1", "a");
    expect(judge.takeUnproven().map(({ letter: { dlqId } }) => dlqId)).toEqual(["1000-1"]);
    expect(judge.takeUnproven()).toEqual([]);
  });

  it.each([
    ["the original's id", "msg_1"],
    ["the id of a dead letter that never was", "redriver-1000-2"],
    ["no id", undefined],
  ])("does not take %s for redriver's own", (_what, id) => {
    const { judge, accepted, broken } = court();
    accepted(1, id as string, "a");
    judge.explainDoubles(silent, end);
    expect(broken()).toEqual(["foreign-id"]);
  });

  it("follows the service's own retry: it is an acceptance and a delete, and no note declares a second", () => {
    const { judge, retried, accepted, broken } = court();
    retried(1, "1000-1", "a");
    judge.explainDoubles(silent, end);
    expect(broken()).toEqual([]);
    expect(judge.letters.get("1000-1")?.deleted).toMatchObject({ by: "retry" });
    expect(judge.takeUnproven()).toEqual([]);
    accepted(2, "redriver-1000-1", "b");
    judge.explainDoubles(silent, end);
    expect(broken()).toEqual(["doubled"]);
  });

  it("holds the body of such a message against the dead letter's", () => {
    const { retried, broken } = court();
    retried(1, "1000-1", "a", "another");
    expect(broken()).toEqual(["altered"]);
  });

  it("notices another body, and what was not to be published", () => {
    const { accepted, broken } = court([letter, { ...letter, dlqId: "1000-2", fate: "stay" }]);
    accepted(1, "redriver-1000-1", "a", "other");
    accepted(2, "redriver-1000-2", "b");
    expect(broken()).toEqual(["altered", "against-the-rules"]);
  });

  it("notices a delete without ids", () => {
    const { deleted, broken } = court();
    deleted(1, ["1000-1"], "filters");
    expect(broken()).toEqual(["filter-delete"]);
  });

  it("lets what vanished by its age go", () => {
    const { judge, deleted, broken } = court();
    deleted(1, ["1000-1"], "retention");
    expect(judge.takeUnproven()).toEqual([]);
    expect(broken()).toEqual([]);
  });

  it("follows a message that died again as a dead letter of its own", () => {
    const { judge, accepted, died, broken } = court();
    accepted(1, "redriver-1000-1", "a");
    died(2, "a", "2000-0");
    accepted(3, "redriver-2000-0", "b");
    judge.explainDoubles(silent, end);
    expect(broken()).toEqual([]);
    expect(judge.letters.get("2000-0")?.letter.root).toBe("m-1");
    expect(judge.deadAgain.has("a")).toBe(true);
  });
});

function twice(secondId: string, apartMs: number, evidence: Evidence) {
  const { judge, accepted, broken } = court();
  accepted(1_000, "redriver-1000-1", "a");
  accepted(1_000 + apartMs, secondId, "b");
  judge.explainDoubles(evidence, end);
  return { broken: broken(), doubles: judge.doubles.map(({ why }) => why) };
}

const note = "unknown-outcome-past-window";

function said(why: string, ...times: readonly number[]): Evidence {
  return { ...silent, declarations: () => times.map((at) => ({ why, earliest: at, latest: at })) };
}

/** Redis lost what was written from `from` to `to`, and redriver said so with the second publish at `at`. */
function lost(to: number, { from = 0, at = 80_000 }: { from?: number; at?: number | null } = {}): Evidence {
  return { ...said(lossReason, ...(at === null ? [] : [at])), losses: [{ from, to }] };
}

describe("a second acceptance", () => {
  it("is a violation when nobody declared it", () => {
    expect(twice("redriver-1000-1-2", 50_000, silent)).toEqual({ broken: ["doubled"], doubles: [] });
    expect(twice("redriver-1000-1", 95_000, silent)).toEqual({ broken: ["doubled"], doubles: [] });
  });

  it("of a further series is what redriver declared", () => {
    expect(twice("redriver-1000-1-2", 50_000, said(note, 50_500))).toEqual({ broken: [], doubles: [note] });
  });

  it("is not what redriver declared after it, or before the acceptance that it doubles", () => {
    expect(twice("redriver-1000-1-2", 50_000, said(note, 51_001)).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1-2", 50_000, said(note, 1_000)).broken).toEqual(["doubled"]);
  });

  it("is what may have been declared before it, where the time is not known better", () => {
    const evidence = { ...silent, declarations: () => [{ why: note, earliest: 50_900, latest: 55_900 }] };
    expect(twice("redriver-1000-1-2", 50_000, evidence).doubles).toEqual([note]);
  });

  it("of the same series is not what redriver declared of another, nor is one of the first series", () => {
    expect(twice("redriver-1000-1", 95_000, said(note, 90_000)).broken).toEqual(["doubled"]);
    const { judge, accepted, broken } = court();
    accepted(1_000, "redriver-1000-1-2", "a");
    accepted(96_000, "redriver-1000-1", "b");
    judge.explainDoubles(said(note, 90_000), end);
    expect(broken()).toEqual(["doubled"]);
  });

  it("of the same series, past its window, follows from a loss of the ledger between the two, if redriver says so", () => {
    expect(twice("redriver-1000-1", 95_000, lost(50_000))).toEqual({ broken: [], doubles: [lossReason] });
    expect(twice("redriver-1000-1", 95_000, lost(50_000, { at: null })).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1", 89_000, lost(50_000)).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1", 95_000, lost(97_000)).broken).toEqual(["doubled"]);
    // It was refused after the loss before it was accepted: that id is another one, in its window or not.
    expect(twice("redriver-1000-1-2", 95_000, lost(50_000)).doubles).toEqual([lossReason]);
    expect(twice("redriver-1000-1-2", 89_000, lost(50_000)).doubles).toEqual([lossReason]);
  });

  it("does not follow from a loss of later writes alone", () => {
    expect(twice("redriver-1000-1", 95_000, lost(50_000, { from: 45_000 })).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1", 95_000, lost(3_000, { from: 500 })).doubles).toEqual([lossReason]);
  });

  it("says for whoever looks into it what the audit says, and what was lost", () => {
    const { judge, accepted } = court();
    accepted(1_000, "redriver-1000-1", "a");
    accepted(96_000, "redriver-1000-1", "b");
    judge.explainDoubles({ ...lost(50_000, { at: null }), story: () => "republish due" }, end);
    expect(judge.violations.map(({ text }) => text)).toEqual([
      "1000-1 (m-1) was accepted as a (suffix 1, 1000), b (suffix 1, 96000); number 2 was not declared, and a loss of Redis explains it; " +
        "the audit says republish due; Redis lost 0 to 50000",
    ]);
  });
});

function thrice(ids: readonly string[], apartMs: number, evidence: Evidence) {
  const { judge, accepted, broken } = court();
  for (const [index, id] of ids.entries()) accepted(1_000 + apartMs * index, id, `m${index}`);
  judge.explainDoubles(evidence, end);
  return { broken: broken(), doubles: judge.doubles.map(({ why }) => why) };
}

describe("a third acceptance", () => {
  const series = ["redriver-1000-1", "redriver-1000-1-2", "redriver-1000-1-3"];

  it("is one too many when only the second was declared", () => {
    expect(thrice(series, 1_000, said(note, 1_500)).broken).toEqual(["doubled"]);
    expect(thrice(series, 1_000, said(note, 1_500, 2_500)).doubles).toEqual([note, note]);
  });

  it("of the second's series is not what was declared of that, but may follow from a loss", () => {
    const again = ["redriver-1000-1", "redriver-1000-1-2", "redriver-1000-1-2"];
    expect(thrice(again, 95_000, said(note, 90_000, 190_000)).broken).toEqual(["doubled"]);
    const evidence: Evidence = {
      ...silent,
      declarations: () => [
        { why: note, earliest: 90_000, latest: 90_000 },
        { why: lossReason, earliest: 190_000, latest: 190_000 },
      ],
      losses: [{ from: 0, to: 150_000 }],
    };
    expect(thrice(again, 95_000, evidence)).toEqual({ broken: [], doubles: [note, lossReason] });
  });
});

describe("the judge of doubles", () => {
  it("waits for evidence that is still on its way", () => {
    const { judge, accepted, broken } = court();
    accepted(1_000, "redriver-1000-1", "a");
    accepted(2_000, "redriver-1000-1-2", "b");
    judge.explainDoubles(silent, 1_999);
    expect(broken()).toEqual([]);
    judge.explainDoubles(silent, 2_000);
    expect(broken()).toEqual(["doubled"]);
  });
});

describe("declarations", () => {
  const dlqId = "1000-1";

  function heard(act: string, record: { reason?: string; notes?: readonly string[] }) {
    const declarations = createDeclarations(() => 9_000);
    declarations.record("log", { act, records: [{ dlqId, ...record }] });
    declarations.record("redis", { act, records: [{ dlqId, ...record }] }, 7_000);
    return declarations;
  }

  it("are the notes of a series and the reason after a loss, at Redis's time, and within a while before a line is read", () => {
    for (const [record, why] of [
      [{ reason: "due", notes: ["schedule", "released-past-window"] }, "released-past-window"],
      [{ reason: "reconcile", notes: [note] }, note],
      [{ reason: lossReason }, lossReason],
    ] as const) {
      expect(heard("republish", record).of(dlqId)).toEqual([
        { why, earliest: 4_000, latest: 9_000 },
        { why, earliest: 7_000, latest: 7_000 },
      ]);
    }
  });

  it("are no other reasons, nor what is said when it has happened", () => {
    expect(heard("republish", { reason: "due", notes: ["schedule"] }).of(dlqId)).toEqual([]);
    expect(heard("park", { reason: lossReason }).of(dlqId)).toEqual([]);
    expect(heard("published", { notes: ["double-found", note] }).of(dlqId)).toEqual([]);
    expect(heard("republish", { reason: lossReason }).of("1000-2")).toEqual([]);
  });

  it("tell the whole story in its order", () => {
    const declarations = heard("republish", { reason: "due", notes: [note] });
    expect(declarations.story(dlqId)).toBe(
      `republish due ${note} (redis, 7000), republish due ${note} (log, 9000)`,
    );
    expect(declarations.story("1000-2")).toBe("nothing");
  });
});
