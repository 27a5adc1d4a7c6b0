import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/emulator/index.ts";
import { createDeclarations } from "./declarations.ts";
import { createJudge, type Evidence } from "./judge.ts";
import type { Letter } from "./letters.ts";

const dedupWindowMs = 90_000;
const letter: Letter = { dlqId: "1000-1", root: "m-1", fate: "republish", bodySha256: "sha" };
const silent: Evidence = { declarations: () => new Map(), losses: [] };
const end = Number.POSITIVE_INFINITY;

/** A journal in the making, and a judge that reads it. */
function court(letters: readonly Letter[] = [letter]) {
  const judge = createJudge({ dedupWindowMs, now: () => 0 });
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
    const { accepted, broken } = court();
    accepted(1, id as string, "a");
    expect(broken()).toEqual(["foreign-id"]);
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

function declared(count: number): Evidence {
  return { ...silent, declarations: () => new Map([["unknown-outcome-past-window", count]]) };
}

function lost(to: number, from = 0): Evidence {
  return { ...silent, losses: [{ from, to }] };
}

describe("a second acceptance", () => {
  it("is a violation when nobody declared it", () => {
    expect(twice("redriver-1000-1-2", 50_000, silent)).toEqual({ broken: ["doubled"], doubles: [] });
    expect(twice("redriver-1000-1", 95_000, silent)).toEqual({ broken: ["doubled"], doubles: [] });
  });

  it("of a further series is what redriver declared", () => {
    expect(twice("redriver-1000-1-2", 50_000, declared(1))).toEqual({
      broken: [],
      doubles: ["unknown-outcome-past-window"],
    });
  });

  it("of the same series is not what redriver declared of another", () => {
    expect(twice("redriver-1000-1", 95_000, declared(1)).broken).toEqual(["doubled"]);
  });

  it("of the same series, past its window, follows from a loss of the ledger between the two", () => {
    expect(twice("redriver-1000-1", 95_000, lost(50_000))).toEqual({ broken: [], doubles: ["ledger-lost"] });
    expect(twice("redriver-1000-1", 89_000, lost(50_000)).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1", 95_000, lost(97_000)).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1-2", 95_000, lost(50_000)).broken).toEqual(["doubled"]);
  });

  it("does not follow from a loss of later writes alone", () => {
    expect(twice("redriver-1000-1", 95_000, lost(50_000, 45_000)).broken).toEqual(["doubled"]);
    expect(twice("redriver-1000-1", 95_000, lost(3_000, 500)).doubles).toEqual(["ledger-lost"]);
  });

  it("is one too many when there are more than were declared", () => {
    const { judge, accepted, broken } = court();
    for (const [index, id] of ["redriver-1000-1", "redriver-1000-1-2", "redriver-1000-1-3"].entries()) {
      accepted(1_000 * index, id, `m${index}`);
    }
    judge.explainDoubles(declared(1), end);
    expect(broken()).toEqual(["doubled"]);
  });

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
  it("count an act that is in the log and in Redis once", () => {
    const declarations = createDeclarations();
    const entry = {
      act: "republish",
      records: [{ dlqId: "1000-1", notes: ["schedule", "released-past-window"] }],
    };
    declarations.note("log", entry);
    declarations.note("redis", entry);
    declarations.note("redis", { ...entry, act: "published" });
    expect(declarations.of("1000-1")).toEqual(new Map([["released-past-window", 1]]));
    expect(declarations.of("1000-2")).toEqual(new Map());
  });
});
