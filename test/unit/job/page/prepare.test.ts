import type { ItemChanges } from "../../../../src/job/message/item-changes.ts";
import { describe, expect, it } from "vitest";
import type { BatchItem, RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { toRecord } from "../../../../src/job/page/begin.ts";
import { prepare, type Preparation } from "../../../../src/job/page/prepare.ts";
import type { Letter, SendAs } from "../../../../src/job/page/letter.ts";
import { enteredAt, lineageKey, listedLetter as decided, rawRecord } from "../../../support/letters.ts";
import { anyItem } from "../../../support/item-checks.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";
import { encodedOf } from "../../../../src/job/page/publish.ts";
import { itemOf, sendAsCanary } from "../../../../src/job/page/publish/canary-variant.ts";

const preparation: Preparation = { headerPrefix: "Upstash-", lineageKey, onLoss: "park", checkItem: anyItem };

const prepared = (raw: RawRecord, set: ItemChanges, more: Partial<Preparation> = {}, attempt?: number) => {
  const letter = decided(raw, attempt);
  return { letter, is: prepare(letter, { set }, { ...preparation, ...more }) };
};

function dueOf(...of: Parameters<typeof prepared>): Letter {
  const { letter, is } = prepared(...of);
  if (is.kind !== "item") throw new Error(`parked: ${is.reason}`);
  letter.item = is.item;
  return letter;
}

const parkOf = (...of: Parameters<typeof prepared>) => {
  const { is } = prepared(...of);
  return is.kind === "park" ? is.reason : "none";
};

/** The letter, which is sent as this canary from now on. */
function asSent(letter: Letter, how: Sending): Letter {
  sendAsCanary(letter, how);
  return letter;
}
type Sending = Omit<SendAs, "lineage">;

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

it("an edited message that dies again is recognised by the body that was sent, and edited to the same body", () => {
  const original = rawRecord({ body: '{ "schema": 2, "tenant": "acmé" }', maxRetries: 4, header: {} });
  const first = dueOf(original, { ...schema3, retries: 0 });
  const died = diedAgain(itemOf(first, 1), 0);
  const { reading } = decided(died);
  expect(reading).toEqual({ kind: "come-back", lineage: first.lineage });
  expect(reading).toMatchObject({ lineage: { attempt: 1, parentDlqId: original["dlqId"] } });
  const second = dueOf(died, schema3);
  const { body, headers } = itemOf(second, 1);
  expect([body, itemOf(first, 1).body]).toEqual(Array(2).fill('{"schema":3,"tenant":"acmé"}'));
  expect(second.due.losses).toEqual([]);
  expect(headers).toMatchObject({
    "Upstash-Retries": "4",
    "Upstash-Forward-X-Redriver-Message-Id": first.messageId,
  });
  expect(decided(diedAgain(itemOf(second, 2), 1)).reading).toMatchObject({
    kind: "come-back",
    lineage: { attempt: 2, rootId: original["messageId"] },
  });
});

it.each<[string, ItemChanges]>([
  ["all", {}],
  ["own", { flowControl: { key: "own", parallelism: 7 } }],
])("a rule's flow control stands before its drain's: %s", (key, set) => {
  const letter = dueOf(rawRecord(), set, { flowControl: { key: "all", parallelism: 2 } });
  expect(itemOf(letter, 1).headers).toMatchObject({ "Upstash-Flow-Control-Key": key });
});

describe("a loss", () => {
  const lossy = rawRecord({ body: '{"id":12345678901234567890}' });

  it("parks under its own name, or is told, as the drain says", () => {
    expect(parkOf(lossy, schema3)).toBe("body-numbers");
    expect(dueOf(lossy, schema3, { onLoss: "republish" }).due.losses).toEqual(["body-numbers"]);
    expect(dueOf(lossy, {}).due.losses).toEqual([]);
  });

  it("that changes nothing of the message parks nowhere", () => {
    const raw = rawRecord({ scheduleId: "s", topicName: "g", failureCallback: "https://f.example" });
    expect(dueOf(raw, {}).due.losses).toEqual([
      "failure-callback-again",
      "callback-settings",
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
    const first = dueOf(rawRecord({ body: '{"a":[]}' }), append);
    expect(itemOf(first, 1).body).toBe('{"a":[1]}');
    const again = diedAgain(itemOf(first, 1), 0);
    expect(parkOf(again, append)).toBe("patch-not-idempotent");
    expect(parkOf(again, append, {}, 0)).toBe("patch-not-idempotent");
    expect(itemOf(dueOf(again, append, { onLoss: "republish" }), 1).body).toBe('{"a":[1,1]}');
  });

  it("does not stand for what cannot be rebuilt at all", () => {
    expect(parkOf(rawRecord({ body: "text" }), schema3, { onLoss: "republish" })).toBe("body-not-editable");
    expect(parkOf(rawRecord({ header: { "Content-Length": ["1"] } }), schema3, { onLoss: "republish" })).toBe(
      "body-length-differs",
    );
  });
});

it("a due letter has the size of its largest item, and one item in all series but for the id", () => {
  const letter = dueOf(rawRecord(), { delay: { kind: "spread", ms: 600_000 } });
  const ids = [1, 2, 999].map((suffix) => itemOf(letter, suffix).headers["Upstash-Deduplication-Id"]);
  expect(ids).toEqual(
    [1, 2, 999].map((suffix) => `redriver-${enteredAt}-0${suffix === 1 ? "" : `-${suffix}`}`),
  );
  expect(letter.bytes).toBe(Buffer.byteLength(JSON.stringify(itemOf(letter, 999))));
  expect(itemOf(letter, 2).headers["Upstash-Delay"]).toBe(itemOf(letter, 1).headers["Upstash-Delay"]);
  expect(textOfEncoded(encodedOf(letter, 2))).toBe(JSON.stringify(itemOf(letter, 2)));
  const probe = asSent(letter, asProbe);
  expect(textOfEncoded(encodedOf(probe, 1))).toBe(JSON.stringify(itemOf(probe, 1)));
});

const lane = { canary: 5, watchMs: 60_000, haltAt: 0.2, probeEveryMs: 300_000, openFrom: 300 };
const asCanary: Sending = {
  step: { lane: "3f1c2d8e", step: 7 },
  isProbe: false,
  timeoutMs: 45_000,
  endsAt: Infinity,
};
const asProbe: Sending = { ...asCanary, isProbe: true };
/** As the service lists the one item of it that it delivered and that failed with `status`. */
const backAs = (letter: Letter, status: number, sequence: number) => ({
  ...diedAgain(itemOf(letter, 1), sequence),
  responseStatus: status,
});

const noFailureCallback: Preparation["checkItem"] = ({ headers }) =>
  headers["Upstash-Failure-Callback"] === undefined ? null : "destination-not-allowed";

describe("a due letter of a lane", () => {
  it("may be published in every shape that its lane may give it, or not at all", () => {
    const asked: number[] = [];
    const checkItem: Preparation["checkItem"] = (item, bytes) => {
      asked.push(bytes);
      return item.headers["Upstash-Timeout"] === undefined ? null : "over-limit";
    };
    expect(parkOf(rawRecord(), {}, { checkItem })).toBe("none");
    expect(parkOf(rawRecord(), {}, { checkItem, lane })).toBe("over-limit");
    expect(asked).toHaveLength(3);
  });

  it("is checked as its rule has changed it", () => {
    const checkItem = noFailureCallback;
    const failing = rawRecord({ failureCallback: "https://attacker.example/steal" });
    expect(parkOf(failing, {}, { checkItem })).toBe("destination-not-allowed");
    expect(parkOf(failing, { failureCallback: null }, { checkItem })).toBe("none");
  });

  it("is told in the audit as what it is", () => {
    const letter = dueOf(rawRecord(), {}, { lane });
    expect(toRecord("republish", letter, false)).not.toHaveProperty("notes");
    expect(toRecord("republish", asSent(letter, asCanary), false)).toMatchObject({
      attempt: 1,
      notes: ["canary"],
    });
  });
});

it("a canary that comes back down leaves what a person has released: the count that the release had lowered", () => {
  const raw = rawRecord({ maxRetries: 4, body: '{"a":[]}', responseStatus: 503 });
  const spent = dueOf(raw, {}, { lane }, 4);
  const back = backAs(spent, 503, 0);
  expect(decided(back).attempt).toBe(5);
  // Parked as exhausted with five, and released: four.
  const released = dueOf(back, {}, { lane }, 4);
  expect(released.lineage.attempt).toBe(6);
  const again = asSent(released, asCanary);
  expect(again.lineage.attempt).toBe(5);
  expect(decided(backAs(again, 503, 1)).attempt).toBe(4);
  expect(decided(backAs(again, 422, 1)).attempt).toBe(5);
});

const callbackOf = (letter: Letter) => itemOf(letter, 1).headers["Upstash-Callback"];

describe("a canary that is called back", () => {
  const proofAddress = "https://redriver.example.com/callbacks/eu";
  const own = { callback: "https://cb.example.com/c", callbackHeader: { "X-C": ["1"] } };
  const canaryOf = (fields: Record<string, unknown>, more: Partial<Preparation> = {}) =>
    asSent(dueOf(rawRecord(fields), {}, { lane, proofAddress, ...more }), asCanary);

  it.each([
    ["is larger than 1 MiB", { body: "x".repeat(1_048_576) }, {}],
    ["is a callback of ours itself", { url: `${proofAddress}?redriver-callback=none` }, {}],
    ["has a callback that makes ours too long", { callback: `https://c.example/${"c".repeat(1_500)}` }, {}],
    [
      "would have larger headers than the settings allow",
      own,
      {
        checkItem: ({ headers }: BatchItem) =>
          String(headers["Upstash-Callback"]).length > 60 ? "over-limit" : null,
      },
    ],
    [
      "is more than half as large as the settings allow",
      { body: "x".repeat(600) },
      { checkItem: (_item: BatchItem, bytes: number) => (bytes > 1_500 ? "over-limit" : null) },
    ],
  ] as const)("is left to silence where it %s", (_, fields, more) => {
    const callback = (fields as { readonly callback?: string }).callback;
    const canary = canaryOf(fields, more);
    expect([callbackOf(canary), canary.due.proofAddress]).toEqual([callback, null]);
  });
});
