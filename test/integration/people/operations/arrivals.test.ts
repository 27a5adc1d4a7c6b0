import { expect, it } from "vitest";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { readAllArrivals } from "../../../../src/people/operations/failures/arrivals.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const held = `
    minAge: 2d
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it("arrivals of every kind come by hour with one round trip for each drain", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: held });
  await rig.pass();
  rig.seed(2, { responseStatus: 503, responseBody: "upstream down" }, 0);
  rig.seed(3, { responseStatus: 500, responseBody: "no such table" }, 0);
  rig.advance(60_000);
  await rig.pass();
  const calls: string[] = [];
  const { arrivals, ...passes } = rig.drain.source.passes;
  const source = {
    ...rig.drain.source,
    passes: {
      ...passes,
      arrivals: (drain: typeof rig.drain.config.name) => (calls.push(drain), arrivals(drain)),
    },
  };
  const drains = new Map([[rig.drain.config.name, { ...rig.drain, source }]]);
  const found = await readAllArrivals({ sources: rig.core.sources, drains });
  const views = await readFailureViews(rig.core, Date.now());
  const sums = views.map(({ source: id, id: kind, text }) => [
    text,
    Object.values(found.get(id)?.get(kind) ?? {}).reduce((sum, count) => sum + count, 0),
  ]);
  expect(Object.fromEntries(sums)).toEqual({ "upstream down": 2, "no such table": 3 });
  expect(calls).toEqual(["main"]);
});
