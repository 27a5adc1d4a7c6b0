/** What cannot be read but has an id is parked by it; a build that can read it goes on with it. */
import { expect, it } from "vitest";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { release } from "../../../../src/people/operations/acts/parked-release.ts";
import { passWith } from "../../../support/pass-with.ts";
import { performAs } from "../../../support/perform.ts";
import { atOnce, createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const malformed = { header: { "X-A": [null] } };

async function stateOf({ drain }: Rig, id: string) {
  return (await drain.source.ledger.peek([id as DlqId])).views[0];
}

const factsOf = ({ drain: { source, config } }: Rig) => source.passes.facts(config.name);

it("is parked once, counted once, and released in vain until it can be read", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  const [id = ""] = rig.seed(1, malformed);
  const [other = ""] = rig.seed(1, { queueName: 5 });
  rig.seed(3);
  for (const republished of [3, 0, 0]) {
    expect(await rig.fullPass()).toMatchObject({
      outcome: "complete",
      tally: { republished, parked: 2, reasons: { parked: { "malformed-record": 2 } } },
    });
    expect(await factsOf(rig)).toMatchObject({ due: 0, held: 0, parked: 2 });
  }
  const isParked = { state: "parked", reason: "malformed-record", drain: "main" };
  expect(await stateOf(rig, id)).toMatchObject(isParked);
  const parked: string[] = [];
  for await (const { act, records } of openAuditReader(rig.core).read({ order: "oldest-first" })) {
    if (act === "park") parked.push(...records.map(({ dlqId }) => dlqId));
  }
  expect(parked.toSorted()).toEqual([id, other].toSorted());

  expect(await performAs(rig.core, release, { dlqIds: [id] })).toMatchObject({
    refused: ["nothing was released"],
    warnings: [
      expect.stringContaining("1 would only be parked again for malformed-record: "),
      expect.anything(),
    ],
  });
  await rig.drain.source.ledger.release([id as DlqId]);
  await rig.fullPass();
  expect(await stateOf(rig, id)).toMatchObject(isParked);

  // As a build sees it that can read it.
  const { service } = rig.drain.source;
  const list: typeof service.list = async (...call) => {
    const page = await service.list(...call);
    const records = page.records.map((raw) => (raw["dlqId"] === id ? { ...raw, header: {} } : raw));
    return { ...page, records };
  };
  expect(await passWith(rig, { service: { ...service, list } }, { alwaysFull: true })).toMatchObject({
    tally: { republished: 1, parked: 1 },
  });
  expect(await factsOf(rig)).toMatchObject({ due: 0, held: 0, parked: 1 });
});

it("under the id of another record never parks that one", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  const [id = ""] = rig.seed(1);
  const { service } = rig.drain.source;
  const list: typeof service.list = async (...call) => {
    const page = await service.list(...call);
    return { ...page, records: page.records.flatMap((raw) => [{ ...raw, ...malformed }, raw]) };
  };
  expect(await passWith(rig, { service: { ...service, list } })).toMatchObject({
    tally: { republished: 1, parked: 1 },
  });
  expect((await stateOf(rig, id))?.state).toBe("gone");
});
