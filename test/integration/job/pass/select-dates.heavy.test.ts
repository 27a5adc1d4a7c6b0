import { expect, it } from "vitest";
import { useRedis } from "../../../support/redis.ts";
import { createRig, hourMs, minuteMs, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

const drain = (select: string, minAge = "0s") => `
    select: ${select}
    minAge: ${minAge}
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`;

/** From four hours ago to half an hour ago. */
const relative = () => "{ fromDate: -4h, toDate: -30m }";
const absolute = () => {
  const now = Date.now();
  return `{ fromDate: ${new Date(now - 4 * hourMs).toISOString()}, toDate: ${now - hourMs / 2} }`;
};

/** Ages at entry and creation: in that range by both, by one of the two, or by neither. */
const ages = {
  both: [2 * hourMs, 3 * hourMs],
  entered: [hourMs, 10 * hourMs],
  older: [10 * hourMs, 20 * hourMs],
  younger: [5 * minuteMs, 6 * minuteMs],
  // On its way until ten minutes ago.
  created: [10 * minuteMs, hourMs],
} as const;

const left = ({ emulator: { dlq } }: Rig, ids: readonly (readonly [string, string])[]) =>
  ids.flatMap(([name, id]) => (dlq.find(id) === undefined ? [] : [name]));

it.each([
  ["entered", relative, ["full", "new", "new"]],
  // What has entered since may have been created long ago.
  ["created", absolute, ["full", "full", "full"]],
] as const)(
  "a drain that selects dates, which mean %s, is drained within them by every pass, and nothing outside is touched",
  async (meaning, range, kinds) => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain: drain(range()),
      emulator: { dateFilter: meaning },
    });
    const now = Date.now();
    const ids = Object.entries(ages).map(([name, [entered, created]]) => {
      const [id = ""] = rig.seed(1, { createdAt: now - created, body: name }, entered);
      return [name, id] as const;
    });
    expect(await rig.pass()).toMatchObject({
      outcome: "complete",
      tally: { listed: 2, republished: 2, deleted: 2 },
    });
    for (let more = 0; more < 2; more += 1) {
      expect(await rig.pass()).toMatchObject({ tally: { listed: 0, republished: 0 } });
    }
    expect(rig.eventsOf("pass:opened").map(({ kind }) => kind)).toEqual(kinds);
    expect(await rig.drain.source.book.datesMean()).toBe(meaning);
    await rig.emulator.idle();
    expect(Object.fromEntries(rig.receiver.counts())).toEqual({ both: 1, [meaning]: 1 });
    expect(left(rig, ids)).toEqual(Object.keys(ages).filter((name) => name !== "both" && name !== meaning));
    expect(rig.recordsOf("record:decided")).toHaveLength(2);
  },
);

it("what has grown out of a relative beginning is left alone, also where it was to be looked at again", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: drain("{ fromDate: -30m }", "25m") });
  const [id = ""] = rig.seed(1, {}, 20 * minuteMs);
  expect(await rig.pass()).toMatchObject({ tally: { listed: 1, held: 1 } });
  rig.advance(15 * minuteMs);
  expect(await rig.pass()).toMatchObject({ tally: { listed: 0, republished: 0 } });
  expect(rig.emulator.dlq.find(id)).toBeDefined();
});
