/**
 * Odd records, each beside ordinary ones, through a whole pass and through what shows them. `npm test` tries some
 * hundred fields and pairs of fields, `npm run test:all` every field with every value, and some thousand pairs.
 * FUZZ_SEED=<seed> repeats a run.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf, fuzzSeed, watchProcess } from "../../support/fuzzing.ts";
import { allOddities, nameOf, type Oddity } from "../../support/odd-fields.ts";
import { createOddStand, type Failed, type OddDrain } from "../../support/odd-stand.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
watchProcess();

const rules = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    onLoss: republish
    rules:
      - { name: by-header, when: { header: { X-Odd: "*" } }, then: republish, set: { headers: { X-Set: "1" }, labels: [a] } }
      - { name: by-body, when: { body: { /schema: "< 1" } }, then: republish, set: { body: { merge: { schema: 3 } } } }
      - { name: by-answer, when: { responseBody: { regex: "(a+)+b" } }, then: park }
      - { name: by-label, when: { label: "label-*" }, then: drop }
      - { name: old, when: { messageAge: "> 4000d" }, then: hold }
      - { name: rest, when: any, then: republish }
`;
const free = `    lane: none\n    limits: { publish: none, perHost: none }${rules}`;
const archive = (folder: string): string =>
  `archive: { dir: ${folder}/archive, keep: 30d, volume: ephemeral }\n`;

/** With lanes as many as their first step admits, in any run. It takes them for half of the watch. */
const ofOneStep = 60;

/** `share`: of the cases, or so many. */
const drains: readonly (readonly [string, OddDrain, number])[] = [
  ["live", { mode: "live", lines: free, top: archive }, 1],
  [
    "with lanes and limits",
    {
      mode: "live",
      lines: `    lane: { canary: 100, watch: 1m }\n    limits: { publish: 5000/s, perHost: 5000/s }${rules}`,
      top: archive,
    },
    ofOneStep,
  ],
  ["in plan mode", { mode: "plan", lines: free }, 0.3],
  [
    "near their expiry",
    {
      mode: "live",
      lines: `    beforeExpiry: { within: 12h, then: archive }\n${free}`,
      top: archive,
      source: "{ retention: 3d }",
      ageMs: 71 * 3_600_000,
    },
    0.3,
  ],
];

/** What shows records does so for all drains alike. */
const pagesOfOthers = 30;

const isWhole = Number(process.env["FUZZ_TIMES"] ?? 0) >= 1;

function cases(share: number): readonly (readonly Oddity[])[] {
  const oddity = fc.constantFrom(...allOddities);
  const pair = fc.uniqueArray(oddity, { minLength: 1, maxLength: 2, selector: ([field]) => field });
  const some = fc.sample(pair, {
    seed: fuzzSeed,
    numRuns: share > 1 ? share : Math.round(casesOf(2_000) * share),
  });
  return isWhole && share === 1 ? [...allOddities.map((one) => [one]), ...some] : some;
}

describe.each(drains)("odd records of a drain, %s", (_, drain, share) => {
  it("end no pass, keep no other from being sent once, and break no command, page or call", async () => {
    const stand = await createOddStand(redis.url(), drain, cases(share));
    const { letters, emulator } = stand;
    const nameOfId = (id: string): string => nameOf(letters.find((one) => one.id === id)?.oddities ?? []);

    expect(await stand.drainAll()).toMatchObject({ kind: "closed", outcome: "complete" });
    expect(stand.eventsOf("window:failed")).toEqual([]);
    expect(stand.eventsOf("source:halted")).toEqual([]);
    expect(
      stand.eventsOf("record:unworkable").map(({ dlqId, message }) => [nameOfId(dlqId), message]),
    ).toEqual([]);
    await emulator.idle();
    await stand.expectOthersSentOnce();
    await stand.expectAccounted();
    expect((await stand.census())?.depth).toBe(emulator.dlq.size);

    const failed: (Failed | readonly [string, Failed])[] = [...(await stand.showAll())];
    // One that lists another id is found by none.
    const hasOtherId = ({ oddities }: (typeof letters)[number]): boolean =>
      oddities.some(([field]) => field === "dlqId");
    for (const letter of share === 1 ? letters : letters.slice(0, pagesOfOthers)) {
      for (const one of await stand.page(`/messages/default/${letter.id}`)) {
        if (!(hasOtherId(letter) && one[1].startsWith("404:"))) failed.push([nameOfId(letter.id), one]);
      }
    }
    const left = letters.filter((one) => emulator.dlq.find(one.id) !== undefined && !hasOtherId(one));
    for (const { id } of left.slice(0, isWhole ? 300 : 15)) {
      for (const one of await stand.run("rules", "explain", id, "--show-content"))
        failed.push([nameOfId(id), one]);
    }
    failed.push(...(await stand.showParked()));
    expect(failed).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  }, 1_200_000);
});
