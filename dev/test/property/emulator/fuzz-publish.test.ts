import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  expectSane,
  fuzz,
  headerValue,
  oddBody,
  oddText,
  watchProcess,
} from "../../../../test/support/fuzzing.ts";
import {
  startFuzzedEmulator,
  type FuzzedEmulator,
  type Header,
} from "../../../../test/support/fuzzed-emulator.ts";
import { destinations, headerNames, oddItem, settingValue } from "../../../../test/support/odd-messages.ts";

let fuzzed: FuzzedEmulator;
beforeAll(async () => {
  fuzzed = await startFuzzedEmulator();
});
afterAll(() => fuzzed[Symbol.asyncDispose]());
watchProcess();

const accepted = (): number => fuzzed.emulator.journal.counts().accepted;

const ofWire = (text: string, first: string, last: string): string =>
  Array.from(text, (character) =>
    character >= first && character <= last && character !== "#" ? character : "",
  ).join("");

describe("whatever is published", () => {
  test("a batch is accepted item by item or refused as a whole, and what was accepted comes to its end", async () => {
    const batches = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .array(oddItem(fuzzed.receiverUrl), { maxLength: 4 })
          .map((items) => ({ items, body: Buffer.from(JSON.stringify(items)) })),
      },
      { weight: 1, arbitrary: oddBody.map((body) => ({ items: undefined, body })) },
    );
    await fuzz(fc.tuple(batches, fc.option(headerValue)), 3_000, async ([{ items, body }, contentType]) => {
      const before = accepted();
      const headers: Header[] = contentType === null ? [] : [["Content-Type", contentType]];
      const answer = await fuzzed.send("POST", "/v2/batch", headers, body);
      const said = expectSane(answer);
      expect(answer.status < 300 || accepted() === before, "what is refused is not accepted").toBe(true);
      expect(answer.status >= 400 || (said as unknown[]).length === (items?.length ?? 0)).toBe(true);
    });
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test("a single message is accepted or refused, whatever its headers, destination and body are", async () => {
    const header = fc.tuple(
      fc.constantFrom(...headerNames.filter((name) => /^[\w-]+$/.test(name))),
      fc.oneof(
        settingValue.map((value) => ofWire(value, " ", "~")),
        headerValue,
      ),
    );
    const to = destinations(fuzzed.receiverUrl);
    const target = fc
      .oneof(
        to.map((one) => `/v2/publish/${one}`),
        to.map((one) => `/v2/publish/${encodeURIComponent(Buffer.from(one).toString())}`),
        fc.tuple(oddText, to).map(([queue, one]) => `/v2/enqueue/${queue}/${one}`),
        to.map((one) => `/v2/enqueue/queue/${one}`),
      )
      .map((text) => ofWire(text, "!", "~").slice(0, 12_000));
    const messages = fc.tuple(target, fc.array(header, { maxLength: 4 }), oddBody);
    await fuzz(messages, 2_000, async ([path, headers, body]) => {
      const before = accepted();
      const answer = await fuzzed.send("POST", path, headers, body);
      expectSane(answer);
      expect(answer.status < 300 || accepted() === before, "what is refused is not accepted").toBe(true);
    });
    expect(await fuzzed.ailments()).toEqual([]);
  });
});
