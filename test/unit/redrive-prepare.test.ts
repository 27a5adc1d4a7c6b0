import { describe, expect, it } from "vitest";
import type { BatchItem, RawRecord } from "../../src/message/dead-letter.ts";
import { collect } from "../../src/redrive/stages/collect.ts";
import { prepare, type Preparation } from "../../src/redrive/stages/prepare.ts";
import type { DecidedRecord } from "../../src/redrive/stages/records.ts";
import type { ItemChanges } from "../../src/rules/spec.ts";
import { enteredAt, rawRecord } from "../support/letters.ts";
import { anyItem } from "../support/item-checks.ts";

const preparation: Preparation = {
  headerPrefix: "Upstash-",
  lineageKey: "key",
  onLoss: "park",
  checkItem: anyItem,
};

/** A record as the stages before hand it on; `attempt` as the lineage counts it, unless given. */
function decided(raw: RawRecord, attempt?: number): DecidedRecord {
  const [found] = collect([raw], ["key"]).found;
  if (found === undefined) throw new Error("the test's record is unusable");
  const known = found.reading.kind === "come-back" ? found.reading.lineage.attempt : 0;
  return {
    ...found,
    view: { state: "absent" },
    viewedAt: enteredAt,
    isNewComeBack: false,
    attempt: attempt ?? known,
    decision: { then: "republish", reason: "due", rule: null, set: {} },
    explanation: "",
  };
}

function candidateOf(
  raw: RawRecord,
  changes: ItemChanges,
  more: Partial<Preparation> = {},
  attempt?: number,
) {
  const prepared = prepare(decided(raw, attempt), changes, { ...preparation, ...more });
  if (prepared.kind === "park") throw new Error(`parked: ${prepared.reason}`);
  return prepared.candidate;
}

const parkOf = (raw: RawRecord, changes: ItemChanges, more: Partial<Preparation> = {}, attempt?: number) => {
  const prepared = prepare(decided(raw, attempt), changes, { ...preparation, ...more });
  return prepared.kind === "park" ? prepared.reason : "none";
};

/** What the service would list of an item that died: what it delivered, with its own headers beside it. */
function diedAgain(item: BatchItem, sequence: number): RawRecord {
  const forwarded = Object.entries(item.headers).flatMap(([name, value]) =>
    name.startsWith("Upstash-Forward-") ? [[name.slice("Upstash-Forward-".length), [value]] as const] : [],
  );
  return rawRecord({
    dlqId: `${enteredAt + 3_600_000}-${sequence}`,
    messageId: `msg_again${sequence}`,
    url: item.destination,
    body: item.body ?? "",
    maxRetries: Number(item.headers["Upstash-Retries"] ?? 3),
    header: {
      ...Object.fromEntries(forwarded),
      "Content-Type": ["application/json"],
      "Content-Length": [String(Buffer.byteLength(item.body ?? ""))],
      "Upstash-Signature": ["jwt"],
    },
  });
}

const schema3: ItemChanges = { body: { kind: "merge", value: { schema: 3 } } };
const append: ItemChanges = { body: { kind: "patch", operations: [{ op: "add", path: "/a/-", value: 1 }] } };

describe("an edited message that dies again", () => {
  const original = rawRecord({ body: '{ "schema": 2, "tenant": "acmé" }', maxRetries: 4, header: {} });
  const first = candidateOf(original, { ...schema3, retries: 0 });

  it("is recognised as a come-back by the body that was sent", () => {
    const back = decided(diedAgain(first.toItem(1), 0));
    expect(back.reading).toEqual({ kind: "come-back", lineage: first.lineage });
    expect(back.reading).toMatchObject({ lineage: { attempt: 1, parentDlqId: original["dlqId"] } });
  });

  it("is edited again, to the same body, and is recognised again", () => {
    const second = candidateOf(diedAgain(first.toItem(1), 0), schema3);
    expect(second.toItem(1).body).toBe('{"schema":3,"tenant":"acmé"}');
    expect(second.toItem(1).body).toBe(first.toItem(1).body);
    expect(second.losses).toEqual([]);
    expect(second.toItem(1).headers["Upstash-Retries"]).toBe("4");
    const third = decided(diedAgain(second.toItem(2), 1));
    expect(third.reading).toMatchObject({
      kind: "come-back",
      lineage: { attempt: 2, rootId: original["messageId"] },
    });
  });

  it("would be a stranger's with the original body under its header", () => {
    const back = decided({
      ...diedAgain(first.toItem(1), 0),
      body: original["body"],
      header: { ...(diedAgain(first.toItem(1), 0)["header"] as object), "Content-Length": [] },
    });
    expect(back.reading).toEqual({ kind: "inherited" });
  });
});

describe("a loss", () => {
  const lossy = rawRecord({ body: '{"id":12345678901234567890}' });

  it("parks under its own name, or is told, as the drain says", () => {
    expect(parkOf(lossy, schema3)).toBe("body-numbers");
    expect(candidateOf(lossy, schema3, { onLoss: "republish" }).losses).toEqual(["body-numbers"]);
    expect(candidateOf(lossy, {}).losses).toEqual([]);
  });

  it("that changes nothing of the message parks nowhere", () => {
    const raw = rawRecord({ scheduleId: "s", topicName: "g", failureCallback: "https://f.example" });
    expect(candidateOf(raw, {}).losses).toEqual([
      "failure-callback-again",
      "schedule-id",
      "group-membership",
    ]);
  });

  it("is named before others by what explains most", () => {
    expect(parkOf(rawRecord({ body: '{"a":1,"a":1e400}', header: { Digest: ["x"] } }), schema3)).toBe(
      "body-numbers",
    );
    expect(parkOf(rawRecord({ body: "{}", header: { Digest: ["x"] } }), schema3)).toBe("signed-body");
  });

  it("is a patch that adds more at a second attempt, also after a release has lowered the count", () => {
    const first = candidateOf(rawRecord({ body: '{"a":[]}' }), append);
    expect(first.toItem(1).body).toBe('{"a":[1]}');
    const again = diedAgain(first.toItem(1), 0);
    expect(parkOf(again, append)).toBe("patch-not-idempotent");
    expect(parkOf(again, append, {}, 0)).toBe("patch-not-idempotent");
    expect(candidateOf(again, append, { onLoss: "republish" }).toItem(1).body).toBe('{"a":[1,1]}');
  });

  it("does not stand for what cannot be rebuilt at all", () => {
    expect(parkOf(rawRecord({ body: "text" }), schema3, { onLoss: "republish" })).toBe("body-not-editable");
    expect(parkOf(rawRecord({ header: { "Content-Length": ["1"] } }), schema3, { onLoss: "republish" })).toBe(
      "body-length-differs",
    );
  });
});

describe("a candidate", () => {
  it("has the size of its largest item, and one item in all series but for the id", () => {
    const candidate = candidateOf(rawRecord(), { delay: { kind: "spread", ms: 600_000 } });
    const ids = [1, 2, 999].map((suffix) => candidate.toItem(suffix).headers["Upstash-Deduplication-Id"]);
    expect(ids).toEqual(
      [1, 2, 999].map((suffix) => `redriver-${enteredAt}-0${suffix === 1 ? "" : `-${suffix}`}`),
    );
    expect(candidate.bytes).toBe(Buffer.byteLength(JSON.stringify(candidate.toItem(999))));
    expect(candidate.toItem(2).headers["Upstash-Delay"]).toBe(candidate.toItem(1).headers["Upstash-Delay"]);
  });
});
