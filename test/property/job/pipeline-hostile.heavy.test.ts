import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRedriverError } from "../../../src/job/contracts/errors.ts";
import { runPassInProcess, type PassInProcess } from "../../../src/job/pass/drain-in-process.ts";
import { casesOf, fuzz, fuzzSeed, watchProcess } from "../../support/fuzzing.ts";
import { httpAnswer, oddCall, recordsPerRun } from "../../support/hostile-answers.ts";
import { oddText, oddValues } from "../../support/odd-fields.ts";
import {
  brokenByte,
  originOf,
  startHostileService,
  type HostileAccount,
  type HostileAnswer,
  type HostileOperation,
} from "../../support/hostile-service.ts";
import { createRig, type Rig } from "../../support/rig.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
watchProcess();

const enteredAt = Date.now() - 60 * 60_000;
let sequence = 0;
const nextId = (): string => `${enteredAt}-${(sequence += 1)}`;
const plainRecord = (dlqId: string): Record<string, unknown> => ({
  dlqId,
  messageId: `msg_${dlqId}`,
  url: "http://127.0.0.1:9/hook",
  method: "POST",
  header: { "Content-Type": ["application/json"] },
  body: '{"schema":2}',
  createdAt: enteredAt - 5_000,
  responseStatus: 503,
});

const rules = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    onLoss: republish
    rules:
      - { name: by-header, when: { header: { X-Odd: "*" } }, then: republish, set: { headers: { X-Set: "1" }, labels: [a] } }
      - { name: by-body, when: { body: { /schema: "< 3" } }, then: republish, set: { body: { merge: { schema: 3 } } } }
      - { name: by-answer, when: { responseBody: { regex: "(a+)+b" } }, then: park }
      - { name: old, when: { messageAge: "> 400d" }, then: hold }
      - { name: rest, when: any, then: republish }
`;

/** Works with a rig on this address, and ends it. */
async function withRig(url: string, work: (rig: Rig) => Promise<void>): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  const rig = await createRig({
    onTestFinished: (end) => ends.push(end),
    redisUrl: redis.url(),
    drain: rules,
    source: `{ url: "${url}" }`,
    settings: {
      "service.listTimeout": "400ms",
      "service.batchTimeout": "1s",
      "service.deleteTimeout": "400ms",
      "service.maxAnswerBytes": "16MiB",
    },
  });
  try {
    await work(rig);
  } finally {
    for (const end of ends) await end();
  }
}

/** A pass whose waits are short, ended from outside like by SIGTERM where it takes long all the same. */
async function passWith({ drain, core }: Rig, withinMs: number): Promise<PassInProcess | "failed"> {
  const { source } = drain;
  const clock = {
    ...source.clock,
    sleep: (ms: number, signal?: AbortSignal) => source.clock.sleep(Math.min(ms, 2), signal),
  };
  const stopping = AbortSignal.timeout(withinMs);
  try {
    const signals = { signal: stopping, stopping };
    return await runPassInProcess(
      { ...drain, source: { ...source, clock } },
      core.settings.passes,
      signals,
      () => undefined,
    );
  } catch (error) {
    // Anything else would be an accident and not a verdict.
    if (!isRedriverError(error) && !stopping.aborted) throw error;
    return "failed";
  }
}

/** Nothing is deleted that was not taken, and nothing is taken twice that no event declares. */
function expectSafe({ deleted, taken }: HostileAccount, rig: Rig): void {
  const origins = taken.map(originOf);
  expect(origins).not.toContain("nobody's");
  expect(deleted.filter((id) => !origins.includes(id))).toEqual([]);
  const doubles = origins.filter((id, index) => origins.indexOf(id) !== index);
  const declared = rig.eventsOf("double:declared").map(({ dlqId }): string => dlqId);
  expect(doubles.filter((id) => !declared.includes(id))).toEqual([]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
}

it("answers of the worst kind end the pass with a verdict, and nothing is lost or doubled unsaid", async () => {
  const service = await startHostileService();
  let hostile = 0;
  let finished = 0;
  await fuzz(fc.array(oddCall, { minLength: 1, maxLength: 5 }), 10_000, async (calls) => {
    const { url, account } = service.open();
    const ids = Array.from({ length: recordsPerRun }, nextId);
    for (const id of ids) account.records.set(id, JSON.stringify(plainRecord(id)));
    account.hostile.push(...calls);
    await withRig(url, async (rig) => {
      for (let round = 0; round < 3; round += 1) {
        const pass = await passWith(rig, 1_200);
        if (pass !== "failed" && pass.kind === "closed" && pass.outcome === "complete") finished += 1;
        rig.drain.source.health.resume();
      }
      hostile += account.answeredHostile;
      expectSafe(account, rig);
      // What is not deleted is still there.
      for (const id of ids) expect(account.records.has(id) || account.deleted.includes(id)).toBe(true);
    });
  });
  expect(hostile).toBeGreaterThan(20);
  expect(finished).toBeGreaterThan(10);
}, 480_000);

/** Answers of the right shape, but for the value of one field. */
const oddFields: readonly (readonly [HostileOperation, string])[] = [
  ...["messageId", "error", "deduplicated", "url", "unheardOf"].map((field) => ["batch", field] as const),
  ...["deleted", "cursor", "unheardOf"].map((field) => ["delete", field] as const),
  ...["messages", "cursor", "unheardOf"].map((field) => ["list", field] as const),
];
const oddAnswers = oddFields.flatMap(([operation, field]) =>
  Object.keys(oddValues).map((value) => [operation, field, value] as const),
);

function toOddAnswer(operation: HostileOperation, field: string, value: string): HostileAnswer {
  const odd = (plain: Readonly<Record<string, unknown>>) => oddText(plain, [[field, value]]);
  if (operation === "list") return httpAnswer(200, odd({ messages: [] }));
  if (operation === "delete") return httpAnswer(200, odd({ deleted: recordsPerRun }));
  const item = { messageId: "msg_any" };
  const others = Array.from({ length: recordsPerRun - 1 }, () => JSON.stringify(item));
  return httpAnswer(200, `[${[odd(item), ...others].join(",")}]`);
}

describe("one answer with an odd value in a field", () => {
  it("ends no second pass, and all is sent once and deleted", async () => {
    const service = await startHostileService();
    const some = fc.sample(fc.constantFrom(...oddAnswers), { seed: fuzzSeed, numRuns: casesOf(500) });
    const wrong: unknown[] = [];
    for (const [operation, field, value] of casesOf(500) < 500 ? some : oddAnswers) {
      const { url, account } = service.open();
      const ids = Array.from({ length: recordsPerRun }, nextId);
      for (const id of ids) account.records.set(id, JSON.stringify(plainRecord(id)));
      account.hostile.push({ operation, answer: toOddAnswer(operation, field, value), takes: true });
      await withRig(url, async (rig) => {
        await passWith(rig, 5_000);
        rig.drain.source.health.resume();
        // Whoever published may not be at work on it any more.
        rig.advance(5 * 60_000);
        const second = await passWith(rig, 5_000);
        expectSafe(account, rig);
        const isComplete = second !== "failed" && second.kind === "closed" && second.outcome === "complete";
        const seen = [isComplete, account.answeredHostile, account.taken.length, account.records.size];
        if (seen.join() !== `true,1,${recordsPerRun},0`)
          wrong.push([operation, field, value, seen, JSON.stringify(second)]);
      });
    }
    expect(wrong).toEqual([]);
  }, 1_200_000);

  it("for one message and for ever keeps no other from being sent once, and stops no pass", async () => {
    const service = await startHostileService();
    const ofBatch = oddAnswers.filter(([operation]) => operation === "batch");
    for (let from = 0; from < ofBatch.length; from += 25) {
      const { url, account } = service.open();
      const good = Array.from({ length: 20 }, nextId);
      for (const id of good) account.records.set(id, JSON.stringify(plainRecord(id)));
      for (const [, field, value] of ofBatch.slice(from, from + 25)) {
        const id = nextId();
        account.records.set(id, JSON.stringify(plainRecord(id)));
        account.elements.set(id, oddText({ messageId: "msg_any" }, [[field, value]]));
      }
      await withRig(url, async (rig) => {
        for (let round = 0; round < 3; round += 1) {
          expect(await passWith(rig, 20_000)).toMatchObject({ kind: "closed", outcome: "complete" });
          rig.advance(2 * 60_000);
        }
        expectSafe(account, rig);
        expect(good.filter((id) => account.records.has(id))).toEqual([]);
        expect(account.taken.map(originOf).toSorted()).toEqual(
          [...good, ...account.elements.keys()].toSorted(),
        );
        expect(rig.eventsOf("window:failed")).toEqual([]);
        expect(rig.eventsOf("source:halted")).toEqual([]);
      });
    }
  }, 600_000);
});

it("what is no object, and bytes that are no text, are put aside while their neighbours are sent once", async () => {
  const service = await startHostileService();
  const { url, account } = service.open();
  const good = Array.from({ length: 20 }, nextId);
  const [broken, marked] = [nextId(), nextId()];
  const odd = ["null", "7", '"1-0"', "[]", `"${brokenByte}"`];
  for (const [index, id] of good.entries()) {
    account.records.set(id, JSON.stringify(plainRecord(id)));
    if (index % 4 === 0) account.records.set(`odd-${index}`, odd[index / 4] ?? "");
  }
  account.records.set(broken, JSON.stringify({ ...plainRecord(broken), body: `a${brokenByte}b` }));
  // The service's own replacement character is a text as any other.
  account.records.set(marked, JSON.stringify({ ...plainRecord(marked), body: "a\ufffdb" }));
  await withRig(url, async (rig) => {
    for (let round = 0; round < 2; round += 1) {
      expect(await passWith(rig, 20_000)).toMatchObject({ kind: "closed", outcome: "complete" });
    }
    expectSafe(account, rig);
    expect(account.taken.map(originOf).toSorted()).toEqual([...good, marked].toSorted());
    expect([...account.records.keys()].toSorted()).toEqual(
      [broken, ...good.flatMap((_, index) => (index % 4 === 0 ? [`odd-${index}`] : []))].toSorted(),
    );
    expect(account.items.map((item) => (item as { body?: string }).body)).toContain("a\ufffdb");
    expect(rig.eventsOf("source:halted")).toEqual([]);
  });
}, 120_000);
