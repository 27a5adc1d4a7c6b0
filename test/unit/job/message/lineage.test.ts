import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  nextLineage,
  readLineage,
  rootOf,
  toLineageKey,
  type Lineage,
} from "../../../../src/job/message/lineage.ts";
import { hmacSha256 } from "../../../../src/job/message/hmac.ts";
import {
  dlqIdOf,
  letterOf,
  lineagePayloadOf,
  messageIdOf,
  signFields,
  writeLineage,
} from "../../../support/letters.ts";

const key = toLineageKey("token", "eu");
const lineage: Lineage = {
  attempt: 2,
  rootId: messageIdOf("msg_root"),
  rootCreatedAt: 1_700_000_000_000,
  rootMaxRetries: 5,
  rootDestination: "https://api.example.com/orders",
  parentDlqId: dlqIdOf("1725000000000-1"),
  step: { lane: "3f1c2d8e", step: 12, isCanary: true, isProbe: false },
  isForgiven: false,
  statusBefore: 503,
};
const body = "the body";
const header = writeLineage(lineage, body, key);
const read = (value: unknown, fields: Record<string, unknown> = { body }) =>
  readLineage(letterOf({ ...fields, header: value }), [key]);

const older =
  "v1.eyJhIjoyLCJyIjoibXNnX3Jvb3QiLCJjIjoxNzAwMDAwMDAwMDAwLCJtIjo1LCJkIjoiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20vb3JkZXJzIiwicCI6IjE3MjUwMDAwMDAwMDAtMSIsImIiOiItb0pDNlo5SWxteWxGQWtyUWpPMFJvVWZRclY2MVFNYjhUUGgzWFo0Zno0In0.cQjlo9e0OyF3RcOJ29QGAqQ6DdGgXfgq6t-GyDKvWrs";
const other = writeLineage({ ...lineage, attempt: 7 }, body, key);
const forged = (payload: string) => `v1.${Buffer.from(payload).toString("base64url")}.x`;
const comeBack = { kind: "come-back", lineage };
const untrusted = (attempt: number) => ({ kind: "untrusted", attempt });
const sayingNothing = ["", "v1", "v1..", "v2.e30.tag", "v1.e30.tag", "v1.%%%.tag", "x".repeat(200_000)];
const noFlowControl = [
  1,
  "partner",
  [],
  [5, null, 1, null],
  ["partner", "2", null, null],
  ["partner", {}, null, null],
];

type Row = readonly [what: string, values: readonly string[], reading: object];

describe("a lineage header", () => {
  it.each<Row>([
    ["of before steps", [older], { ...comeBack, lineage: { ...lineage, step: null, statusBefore: null } }],
    ["listed twice, alike", [header, ` ${header}`], comeBack],
    ["listed twice, joined", [`${header}, ${header}`], comeBack],
    ["beside another: the larger attempt counts", [header, other], untrusted(7)],
    ["beside another of fewer attempts", [other, header], untrusted(7)],
    ["beside junk", [header, "junk"], untrusted(2)],
    ["of a forged count", [forged(`{"a":${Number.MAX_SAFE_INTEGER}}`)], untrusted(1_000)],
    ["of a count below 0", [forged('{"a":-5}')], untrusted(0)],
    ["of a count that is none", [forged('{"a":"9"}')], untrusted(0)],
    ["of a prototype's count", [forged('{"__proto__":{"a":9}}')], untrusted(0)],
    ["of something else, signed with our key", [signFields({ a: 3 }, key)], untrusted(3)],
    ...[...sayingNothing, ",".repeat(200_000)].map((value): Row => ["of nothing", [value], untrusted(0)]),
    ...noFlowControl.map((w): Row => {
      const changed = signFields({ ...lineagePayloadOf(header), w }, key);
      return ["with what is no flow control", [changed], comeBack];
    }),
  ])("%s", (_, values, reading) => {
    expect(read({ "X-Redriver": values })).toEqual(reading);
    expect(read({ "x-redriver": values.slice(0, 1), "X-Redriver": values.slice(1) })).toEqual(reading);
  });

  it("is inherited with another body of bytes", () => {
    expect(read({ "X-Redriver": [header] }, { body, bodyBase64: "//8=" })).toEqual({ kind: "inherited" });
  });

  it("is believed under an old key and not under a stranger's", () => {
    const letter = letterOf({ body, header: { "X-Redriver": [header] } });
    expect(readLineage(letter, ["new", key]).kind).toBe("come-back");
    expect(readLineage(letter, ["n".repeat(100), key]).kind).toBe("come-back");
    expect(readLineage(letter, ["stranger"])).toEqual({ kind: "untrusted", attempt: 2 });
    expect(readLineage(letter, [])).toEqual({ kind: "untrusted", attempt: 2 });
  });

  it("is not believed under an empty key", () => {
    const unsigned = writeLineage(lineage, body, "");
    expect(readLineage(letterOf({ body, header: { "X-Redriver": [unsigned] } }), [""]).kind).toBe(
      "untrusted",
    );
  });

  it("does not contain the secret that its key comes from", () => {
    expect(toLineageKey("token", "eu")).not.toContain("token");
    expect(toLineageKey("token", "eu")).toBe(toLineageKey("token", "eu"));
    expect(toLineageKey("token", "eu")).not.toBe(toLineageKey("token2", "eu"));
    expect(toLineageKey("token", "eu")).not.toBe(toLineageKey("token", "us"));
  });
});

describe("the root of a dead letter", () => {
  const letter = letterOf({ maxRetries: 3 });

  it.each([
    [{ kind: "none" }, 0],
    [{ kind: "inherited" }, 0],
    [{ kind: "untrusted", attempt: 4 }, 4],
  ] as const)("is the dead letter itself when %j, which tells of attempts at most", (reading, attempt) => {
    const { createdAt: rootCreatedAt, messageId: rootId, url: rootDestination } = letter;
    expect(rootOf(letter, reading)).toEqual({ rootCreatedAt, attempt, redrives: attempt, maxRetries: 3 });
    const root = { rootId, rootCreatedAt, rootDestination, rootMaxRetries: 3 };
    const { dlqId: parentDlqId, responseStatus: statusBefore = 0 } = letter;
    const next = { attempt: attempt + 1, parentDlqId, step: null, isForgiven: false, statusBefore };
    expect(nextLineage(letter, reading, attempt)).toEqual({ ...root, ...next });
  });

  it("counts from the larger of header and ledger", () => {
    const plain = { kind: "come-back", lineage: { ...lineage, step: null } } as const;
    expect(nextLineage(letter, plain, 6).attempt).toBe(7);
    expect(nextLineage(letter, plain, 0).attempt).toBe(3);
  });
});

it.each(["k", "k".repeat(64), "k".repeat(65), "schlüssel".repeat(9)])(
  "a tag is HMAC-SHA256 under %j",
  (key) => {
    for (const length of [0, 1, 400, 4_096, 4_097, 70_000, 3]) {
      const text = "abcdefghij".repeat(7_000).slice(0, length);
      expect(hmacSha256(key, text)).toBe(createHmac("sha256", key).update(text).digest("base64url"));
    }
  },
);
