import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../../dev/emulator/index.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, type RigOptions } from "../../../support/rig.ts";

const redis = useRedis();
const rigOf = (options: Partial<RigOptions> = {}) => createRig({ redisUrl: redis.url(), ...options });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Meaning = "entered" | "created";

/** From four hours ago to half an hour ago, written either way. */
const ranges = {
  relative: () => "{ fromDate: -4h, toDate: -30m }",
  absolute: () => {
    const now = Date.now();
    return `{ fromDate: ${new Date(now - 4 * hourMs).toISOString()}, toDate: ${now - hourMs / 2} }`;
  },
} as const;

/** Ages at entry and creation: in that range by both, by one of the two, or by neither. */
const ages = {
  both: [2 * hourMs, 3 * hourMs],
  entered: [hourMs, 10 * hourMs],
  older: [10 * hourMs, 20 * hourMs],
  younger: [5 * minuteMs, 6 * minuteMs],
} as const;

/** In the range by its creation alone: it was on its way until ten minutes ago. */
const late = [10 * minuteMs, hourMs] as const;

type Ids = Readonly<Record<string, string>>;

function seed(emulator: Emulator, url: string, records: Readonly<Record<string, readonly number[]>>): Ids {
  const now = Date.now();
  const names = Object.entries(records).map(([name, [entered = 0, created = 0]], index) => {
    const dlqId = `${now - entered}-${index}`;
    emulator.dlq.seed([{ dlqId, url, createdAt: now - created, responseStatus: 503, body: name }]);
    return [name, dlqId] as const;
  });
  return Object.fromEntries(names);
}

/** Names of what is still in the DLQ. */
const leftOf = ({ dlq }: Emulator, ids: Ids): readonly string[] =>
  Object.keys(ids).filter((name) => dlq.find(ids[name] ?? "") !== undefined);

const drain = (select: string) => `
    select: ${select}
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

const cases = [
  { meaning: "entered", written: "relative" },
  { meaning: "created", written: "absolute" },
] as const;

/** What the range selects of all five, by the source's meaning of dates. */
const selected: Readonly<Record<Meaning, readonly string[]>> = {
  entered: ["both", "entered"],
  created: ["both", "late"],
};

describe.each(cases)("a drain that selects $written dates, on a source where they mean $meaning", (given) => {
  const { meaning, written } = given;

  it("is drained within them by every pass, and nothing outside is touched", async () => {
    const rig = await rigOf({ drain: drain(ranges[written]()), emulator: { dateFilter: meaning } });
    const ids = seed(rig.emulator, `${rig.receiver.url}/hook`, { ...ages, late });
    const inside = selected[meaning];
    const outside = Object.keys(ids).filter((name) => !inside.includes(name));
    expect(await rig.pass()).toMatchObject({
      outcome: "complete",
      tally: { listed: 2, republished: 2, deleted: 2 },
    });
    // Full passes too: where the dates mean creation all are, where they mean entry the second is over what
    // is new.
    for (let more = 0; more < 2; more += 1) {
      expect(await rig.pass()).toMatchObject({ tally: { listed: 0, republished: 0 } });
    }
    expect(rig.eventsOf("pass:opened").map(({ kind }) => kind)).toEqual(
      meaning === "entered" ? ["full", "new", "new"] : ["full", "full", "full"],
    );
    expect(await rig.drain.source.book.datesMean()).toBe(meaning);
    await rig.emulator.idle();
    expect(Object.fromEntries(rig.receiver.counts())).toEqual(
      Object.fromEntries(inside.map((name) => [name, 1])),
    );
    expect(leftOf(rig.emulator, ids)).toEqual(outside);
    expect(new Set(rig.recordsOf("record:decided").map(({ dlqId }) => dlqId))).toEqual(
      new Set(inside.map((name) => ids[name])),
    );
  });
});

describe("the horizon of a drain that selects dates", () => {
  it("leaves alone what has grown out of a relative beginning, also where it was to be looked at again", async () => {
    const rig = await rigOf({ drain: drain("{ fromDate: -9s }").replace("minAge: 0s", "minAge: 8s") });
    const ids = seed(rig.emulator, `${rig.receiver.url}/hook`, { ageing: [7_000, minuteMs] });
    expect(await rig.pass()).toMatchObject({ tally: { listed: 1, held: 1 } });
    await expect.poll(Date.now, { timeout: 30_000 }).toBeGreaterThan(enteredAt(ids["ageing"]) + 9_000);
    expect(await rig.pass()).toMatchObject({ tally: { listed: 0, republished: 0 } });
    expect(leftOf(rig.emulator, ids)).toEqual(["ageing"]);
  });
});

const enteredAt = (dlqId = ""): number => Number(dlqId.split("-")[0]);
