import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { checkFidelity } from "../../../../src/job/message/fidelity.ts";
import { parseRecord } from "../../../../src/job/message/parse-record.ts";
import { anyText } from "../../../support/fuzzing.ts";
import { rawRecord } from "../../../support/letters.ts";

/** As JSON writes it: a whole character is written as it is. */
const halfCharacter = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/;

describe("any record", () => {
  it("has no half character left in any text, and is not sent if its message had one", () => {
    const texts =
      "url method body retryDelayExpression callback failureCallback queueName flowControlKey label".split(
        " ",
      );
    const others = "messageId topicName endpointName scheduleId callerIP responseBody bodyBase64".split(" ");
    const maps = ["header", "callbackHeader", "failureCallbackHeader", "responseHeader"];
    const map = fc.dictionary(anyText(3), fc.array(anyText(3), { maxLength: 2 }), { maxKeys: 3 });
    const fields = fc.oneof(
      fc.tuple(fc.constantFrom(...texts, ...others), anyText(4)),
      fc.tuple(fc.constantFrom(...maps), map),
      fc.tuple(fc.constant("labels"), fc.array(anyText(3), { maxLength: 2 })),
    );
    let broken = 0;
    fc.assert(
      fc.property(fc.array(fields, { maxLength: 4 }), (changes) => {
        const raw = { ...rawRecord({ messageId: "msg_1" }), ...Object.fromEntries(changes) } as RawRecord;
        const parsed = parseRecord(raw);
        if (parsed.kind === "unusable") return;
        const { letter } = parsed;
        expect(halfCharacter.test(JSON.stringify(letter))).toBe(false);
        const sent = [...texts, "labels", ...maps.slice(0, 3)].map((name) => raw[name]);
        // Labels stand in place of the label.
        if (Array.isArray(raw["labels"]) && raw["labels"].some((label) => label !== ""))
          sent.splice(texts.indexOf("label"), 1);
        const isBroken = halfCharacter.test(JSON.stringify(sent));
        expect(letter.brokenText !== undefined).toBe(isBroken);
        expect(!isBroken || checkFidelity(letter, raw) !== null).toBe(true);
        broken += isBroken ? 1 : 0;
      }),
      { numRuns: 4_000 },
    );
    expect(broken).toBeGreaterThan(25);
  });
});
