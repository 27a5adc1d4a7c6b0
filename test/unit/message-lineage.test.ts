import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nextLineage, readLineage, rootOf, toLineageKey, writeLineage } from "../../src/message/lineage.ts";
import type { Lineage } from "../../src/message/lineage.ts";
import { dlqIdOf, enteredAt, letterOf, messageIdOf } from "../support/letters.ts";

const key = toLineageKey("token", "eu");
const lineage: Lineage = {
  attempt: 2,
  rootId: messageIdOf("msg_root"),
  rootCreatedAt: 1_700_000_000_000,
  rootMaxRetries: 5,
  rootDestination: "https://api.example.com/orders",
  parentDlqId: dlqIdOf("1725000000000-1"),
};
const body = "the body";
const header = writeLineage(lineage, body, key);
const read = (value: unknown, fields: Record<string, unknown> = { body }) =>
  readLineage(letterOf({ ...fields, header: value }), [key]);

describe("a lineage header", () => {
  it("reads back as a come-back with the body it was signed for", () => {
    expect(read({ "X-Redriver": [header] })).toEqual({ kind: "come-back", lineage });
    expect(read({ "x-redriver": [header] }).kind).toBe("come-back");
  });

  it("is inherited with another body", () => {
    expect(read({ "X-Redriver": [header] }, { body: "another" })).toEqual({ kind: "inherited" });
    expect(read({ "X-Redriver": [header] }, { body, bodyBase64: "//8=" })).toEqual({ kind: "inherited" });
  });

  it("is absent without a header", () => {
    expect(read({})).toEqual({ kind: "none" });
  });

  it("is believed under an old key and not under a stranger's", () => {
    const letter = letterOf({ body, header: { "X-Redriver": [header] } });
    expect(readLineage(letter, ["new", key]).kind).toBe("come-back");
    expect(readLineage(letter, ["new", Buffer.from(key)]).kind).toBe("come-back");
    expect(readLineage(letter, ["stranger"])).toEqual({ kind: "untrusted", attempt: 2 });
    expect(readLineage(letter, [])).toEqual({ kind: "untrusted", attempt: 2 });
  });

  it("is not believed under an empty key", () => {
    const unsigned = writeLineage(lineage, body, "");
    expect(readLineage(letterOf({ body, header: { "X-Redriver": [unsigned] } }), [""]).kind).toBe(
      "untrusted",
    );
  });

  it("may be listed twice, if the copies agree", () => {
    expect(read({ "X-Redriver": [header, header] }).kind).toBe("come-back");
    expect(read({ "X-Redriver": [header], "x-redriver": [` ${header}`] }).kind).toBe("come-back");
    expect(read({ "X-Redriver": [`${header}, ${header}`] }).kind).toBe("come-back");
  });

  it("is untrusted when copies differ, and the larger attempt counts", () => {
    const other = writeLineage({ ...lineage, attempt: 7 }, body, key);
    expect(read({ "X-Redriver": [header, other] })).toEqual({ kind: "untrusted", attempt: 7 });
    expect(read({ "X-Redriver": [other], "x-redriver": [header] })).toEqual({
      kind: "untrusted",
      attempt: 7,
    });
    expect(read({ "X-Redriver": [header, "junk"] })).toEqual({ kind: "untrusted", attempt: 2 });
  });

  it.each([
    "",
    "v1",
    "v1..",
    "v2.e30.tag",
    "v1.e30.tag",
    "v1.%%%.tag",
    `v1.${Buffer.from('{"a":-5}').toString("base64url")}.x`,
    `v1.${Buffer.from('{"a":"9"}').toString("base64url")}.x`,
    `v1.${Buffer.from('{"__proto__":{"a":9}}').toString("base64url")}.x`,
    "x".repeat(200_000),
    ",".repeat(200_000),
  ])("that says nothing is untrusted with no attempts (%#)", (value) => {
    expect(read({ "X-Redriver": [value] })).toEqual({ kind: "untrusted", attempt: 0 });
  });

  it("does not let a forged count overflow", () => {
    const forged = `v1.${Buffer.from(`{"a":${Number.MAX_SAFE_INTEGER}}`).toString("base64url")}.x`;
    expect(read({ "X-Redriver": [forged] })).toEqual({ kind: "untrusted", attempt: 1_000 });
  });

  it("is untrusted when something else was signed with our key", () => {
    const payload = Buffer.from('{"a":3}').toString("base64url");
    const tag = createHmac("sha256", key).update(`v1.${payload}`).digest("base64url");
    expect(read({ "X-Redriver": [`v1.${payload}.${tag}`] })).toEqual({ kind: "untrusted", attempt: 3 });
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

  it("is what a come-back's header says", () => {
    const reading = { kind: "come-back", lineage } as const;
    expect(rootOf(letter, reading)).toEqual({ rootCreatedAt: 1_700_000_000_000, attempt: 2, maxRetries: 5 });
    expect(nextLineage(letter, reading, 2)).toEqual({ ...lineage, attempt: 3, parentDlqId: letter.dlqId });
  });

  it.each([{ kind: "none" }, { kind: "inherited" }] as const)(
    "is the dead letter itself when %j",
    (reading) => {
      expect(rootOf(letter, reading)).toEqual({
        rootCreatedAt: enteredAt - 60_000,
        attempt: 0,
        maxRetries: 3,
      });
      expect(nextLineage(letter, reading, 0)).toEqual({
        attempt: 1,
        rootId: letter.messageId,
        rootCreatedAt: enteredAt - 60_000,
        rootMaxRetries: 3,
        rootDestination: letter.url,
        parentDlqId: letter.dlqId,
      });
    },
  );

  it("takes only the attempts from a header that is not believed", () => {
    const reading = { kind: "untrusted", attempt: 4 } as const;
    expect(rootOf(letter, reading)).toEqual({ rootCreatedAt: enteredAt - 60_000, attempt: 4, maxRetries: 3 });
  });

  it("counts from the larger of header and ledger", () => {
    expect(nextLineage(letter, { kind: "come-back", lineage }, 6).attempt).toBe(7);
    expect(nextLineage(letter, { kind: "come-back", lineage }, 0).attempt).toBe(3);
  });
});
