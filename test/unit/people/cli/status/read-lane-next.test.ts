import { expect, test } from "vitest";
import type { Core } from "../../../../../src/job/compose/build-core.ts";
import { readLaneNext } from "../../../../../src/people/operations/status/read.ts";
import { toLaneId } from "../../../../../src/job/message/lane-id.ts";
import { config, createLaneStand, origin } from "../../../../support/lane-stands.ts";
import { drain } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

test("a step whose watch is over awaits a look, until that has come", async () => {
  const { book, now, advance } = createLaneStand(redis.fresh());
  const lane = toLaneId(drain, origin);
  // Of the core, only what lanes are asked by.
  const core = {
    drains: new Map([[drain, { config: { name: drain, lane: config }, source: { lanes: book } }]]),
  };
  const next = async () => {
    const { reported } = await readLaneNext(core as unknown as Pick<Core, "drains">, await book.views(1), []);
    return reported.map(({ nextInMs, awaitsLook }) => ({ nextInMs, awaitsLook }));
  };
  const asks = [{ lane, origin, wanted: config.canary, resumeMinutes: [] }];
  const [answer] = (await book.ask(drain, config, asks)).answers;
  const step = { lane, step: answer?.step ?? 0 };
  await book.sent([{ ...step, roots: Array.from({ length: config.canary }, (_, index) => `r${index}`) }]);
  expect(await next()).toEqual([{ nextInMs: config.watchMs, awaitsLook: false }]);
  await advance(config.watchMs + 3_000);
  expect(await next()).toEqual([{ nextInMs: 15_000, awaitsLook: true }]);
  expect(await book.checked(step, now(), [])).toMatchObject({ kind: "moved", to: "ramping" });
  expect(await next()).toEqual([{ nextInMs: 0, awaitsLook: false }]);
});
