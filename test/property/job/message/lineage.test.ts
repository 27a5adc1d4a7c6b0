import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextLineage, readLineage, rootOf, type Lineage } from "../../../../src/job/message/lineage.ts";
import {
  dlqIdOf,
  letterOf,
  lineagePayloadOf,
  messageIdOf,
  signFields,
  writeLineage,
} from "../../../support/letters.ts";

const lineages: fc.Arbitrary<Lineage> = fc
  .record({
    attempt: fc.integer({ min: 1, max: 1_000 }),
    rootId: fc.string().map(messageIdOf),
    rootCreatedAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    rootMaxRetries: fc.option(fc.nat()),
    rootDestination: fc.string({ unit: "grapheme" }),
    parentDlqId: fc.string().map(dlqIdOf),
    step: fc.option(
      fc
        .record({
          lane: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
          step: fc.integer({ min: 1, max: 999_999_999_999_999 }),
          isCanary: fc.boolean(),
          isProbe: fc.boolean(),
        })
        .map((step) => ({ ...step, isProbe: step.isCanary && step.isProbe })),
    ),
    isForgiven: fc.boolean(),
    statusBefore: fc.option(fc.nat({ max: 999 })),
    flowControl: fc.constantFrom(
      {},
      { rootFlowControl: null },
      { rootFlowControl: { key: "partner", rate: 5 } },
      { rootFlowControl: { key: "partner", parallelism: 2, rate: 5, periodMs: 60_000 } },
    ),
  })
  .map(({ flowControl, ...lineage }) => ({ ...lineage, ...flowControl }));
const bodies = fc.string({ unit: "grapheme" });
const key = "the key";

const read = (header: string, body: string) =>
  readLineage(letterOf({ body, header: { "X-Redriver": [header] } }), ["another key", key]);

function flipBit(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  const at = Math.floor(bit / 8) % flipped.length;
  flipped[at] = flipped[at]! ^ (1 << (bit % 8));
  return flipped;
}

describe("a lineage header", () => {
  it("reads back as it was written", () => {
    fc.assert(
      fc.property(lineages, bodies, (lineage, body) => {
        expect(read(writeLineage(lineage, body, key), body)).toEqual({ kind: "come-back", lineage });
      }),
    );
  });

  it("is no come-back with any character replaced by another", () => {
    const lineage: Lineage = {
      attempt: 1,
      rootId: messageIdOf("msg_1"),
      rootCreatedAt: 1,
      rootMaxRetries: null,
      rootDestination: "https://a.example",
      parentDlqId: dlqIdOf("1-0"),
      step: { lane: "l", step: 1, isCanary: true, isProbe: true },
      isForgiven: true,
      statusBefore: 503,
    };
    const header = writeLineage(lineage, "body", key);
    const believed: string[] = [];
    for (let at = 0; at < header.length; at++) {
      for (const other of "ABwxyz089-_.%") {
        if (header[at] === other) continue;
        const changed = header.slice(0, at) + other + header.slice(at + 1);
        if (read(changed, "body").kind !== "untrusted") believed.push(changed);
      }
    }
    expect(believed).toEqual([]);
  });

  it("is no come-back with any bit of the body flipped", () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 50 })
      .map((array) => Buffer.from(array.map((b) => b & 0x7f)));
    fc.assert(
      fc.property(lineages, bytes, fc.nat({ max: 1_000 }), (lineage, body, at) => {
        const header = writeLineage(lineage, body.toString("latin1"), key);
        const flipped = flipBit(body, at).toString("latin1");
        expect(read(header, flipped)).toEqual({ kind: "inherited" });
      }),
    );
  });

  it("is a come-back with whatever is signed in place of step, canary, probe, forgiveness and status", () => {
    const wrong = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.constantFrom("l.0", "l.01", "l.1e3", ".1", "l.", "a.b.1", "l.-1"),
    );
    fc.assert(
      fc.property(
        lineages,
        bodies,
        fc.array(wrong, { minLength: 5, maxLength: 5 }),
        (lineage, body, [s, k, h, g, f]) => {
          const written = lineagePayloadOf(writeLineage(lineage, body, key));
          const reading = read(signFields({ ...written, s, k, h, g, f }, key), body);
          expect(reading).toEqual({
            kind: "come-back",
            lineage: {
              ...lineage,
              step: expect.toSatisfy(isStepOrNull),
              isForgiven: g === 1,
              statusBefore: expect.toSatisfy(isCountOrNull),
            },
          });
        },
      ),
    );
  });

  it("is written by this version as an older one reads it, and read as an older one writes it", () => {
    fc.assert(
      fc.property(lineages, bodies, (lineage, body) => {
        const {
          s,
          k,
          h,
          g,
          f,
          w: _flowControl,
          ...older
        } = lineagePayloadOf(writeLineage(lineage, body, key));
        expect(Object.keys(older)).toEqual(["a", "r", "c", "m", "d", "p", "b"]);
        expect([s === undefined, f === undefined]).toEqual([
          lineage.step === null,
          lineage.statusBefore === null,
        ]);
        expect(k).toBe(lineage.step?.isCanary === true ? 1 : undefined);
        expect(h).toBe(lineage.step?.isProbe === true ? 1 : undefined);
        expect(g).toBe(lineage.isForgiven ? 1 : undefined);
        expect(read(signFields(older, key), body)).toEqual({
          kind: "come-back",
          lineage: {
            ...lineage,
            step: null,
            isForgiven: false,
            statusBefore: null,
            rootFlowControl: undefined,
          },
        });
      }),
    );
  });
});

const redrives = fc.array(
  fc.record({
    step: fc.constantFrom(
      null,
      { lane: "l", step: 7, isCanary: false, isProbe: false },
      { lane: "l", step: 8, isCanary: true, isProbe: false },
      { lane: "l", step: 9, isCanary: true, isProbe: true },
    ),
    status: fc.constantFrom(undefined, 408, 425, 429, 500, 503, 599, 400, 404, 422, 489),
    // Also from before its root: such a one would be free for ever.
    afterDays: fc.constantFrom(0, 1, 3, -9),
  }),
  { maxLength: 12 },
);
const dayMs = 86_400_000;
const refusals = new Set<number | undefined>([400, 404, 422, 489]);

it("attempts, redrive by redrive, are spent by all but probes, and one canary besides, that came back down within seven days of the root", () => {
  fc.assert(
    fc.property(redrives, (made) => {
      let letter = letterOf({ body: "b", responseStatus: 503 });
      const bornAt = letter.createdAt;
      let spent = 0;
      let isForgiven = false;
      for (const [index, { step, status, afterDays }] of made.entries()) {
        const reading = readLineage(letter, [key]);
        const root = rootOf(letter, reading);
        expect(root.attempt).toBe(spent);
        expect(root.redrives > 0).toBe(index > 0);
        expect(root.redrives).toBeGreaterThanOrEqual(root.attempt);
        expect(root.redrives).toBeLessThanOrEqual(index);
        const next = { ...nextLineage(letter, reading, root.attempt), step };
        expect(next).toMatchObject({ attempt: spent + 1, statusBefore: letter.responseStatus ?? 0 });
        expect(next.isForgiven).toBe(isForgiven);
        letter = letterOf({
          dlqId: `${letter.enteredAt + afterDays * dayMs}-${index}`,
          body: "b",
          header: { "X-Redriver": [writeLineage(next, "b", key)] },
          responseStatus: status,
        });
        const mayBeFree =
          step?.isCanary === true &&
          !refusals.has(status) &&
          Math.abs(letter.enteredAt - bornAt) <= 7 * dayMs;
        if (mayBeFree && step.isProbe) continue;
        if (mayBeFree && !isForgiven) isForgiven = true;
        else spent += 1;
      }
      const { attempt } = rootOf(letter, readLineage(letter, [key]));
      expect(attempt).toBe(spent);
      expect(attempt).toBeLessThanOrEqual(made.length);
    }),
  );
});

function isStepOrNull(value: unknown): boolean {
  return value === null || (typeof value === "object" && "isCanary" in value && "isProbe" in value);
}

function isCountOrNull(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
}
