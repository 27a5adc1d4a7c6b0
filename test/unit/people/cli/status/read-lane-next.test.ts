import { expect, test } from "vitest";
import type { Core } from "../../../../../src/job/compose/build-core.ts";
import { readLaneNext } from "../../../../../src/people/operations/status/read.ts";
import { config, createLaneStand, driverOf } from "../../../../support/lane-stands.ts";
import { drain } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

test("a step whose watch is over awaits a look, until that has come", async () => {
  const stand = createLaneStand(redis.fresh());
  const { book, advance } = stand;
  const driver = driverOf(stand);
  // Of the core, only what lanes are asked by.
  const core = {
    drains: new Map([[drain, { config: { name: drain, lane: config }, source: { lanes: book } }]]),
  };
  const next = async () => {
    const { lanes } = await book.views(1);
    const reported = await readLaneNext(core as unknown as Pick<Core, "drains">, lanes, []);
    return reported.map(({ nextInMs, awaitsLook }) => ({ nextInMs, awaitsLook }));
  };
  const step = await driver.step(config.canary);
  expect(await next()).toEqual([{ nextInMs: config.watchMs, awaitsLook: false }]);
  await advance(config.watchMs + 3_000);
  expect(await next()).toEqual([{ nextInMs: 15_000, awaitsLook: true }]);
  expect(await driver.checked(step)).toMatchObject({ kind: "moved", to: "ramping" });
  expect(await next()).toEqual([{ nextInMs: 0, awaitsLook: false }]);
});
