import { expect, it } from "vitest";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { noteFailure } from "../../../../src/people/operations/failures/marks.ts";
import { pause, resume } from "../../../../src/people/operations/pauses/acts.ts";
import { choosePauseTargets } from "../../../../src/people/operations/pauses/on-each-target.ts";
import { releaseFound } from "../../../../src/people/operations/parked/release-found.ts";
import { visitParked, type FoundParked } from "../../../../src/people/operations/parked/find.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("one process acts for several persons, and the audit has each by the name that was given", async () => {
  const drain = `
    minAge: 0s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;
  const { core, seed, pass } = await createRig({ redisUrl: redis.url(), drain });
  seed(1, { responseStatus: 422 });
  await pass();
  const [[, source, name] = expect.fail("no target")] = choosePauseTargets(core, ["main"]);
  await pause(source, name, { reason: "wait", by: "Ann Ö. <ann@example.com>" });
  await resume(source, name, { reason: "go", by: "bob" }, core);
  const [failure] = await readFailureViews(core, Date.now());
  await noteFailure(core, failure!.id, { text: "known", by: "carol" });
  const found: FoundParked[] = [];
  const never = new AbortController().signal;
  const search = { signal: never, stopping: never };
  await visitParked(core, { filter: {}, listing: "if-needed" }, search, (one) => found.push(one));
  expect(await releaseFound(core, found, { reason: "again", by: "dan" })).toBe(1);
  const acts: Record<string, string> = {};
  for await (const { act, by } of openAuditReader(core).read({ order: "oldest-first" })) acts[act] = by;
  expect(acts).toMatchObject({
    pause: "Ann Ö. <ann@example.com>",
    resume: "bob",
    note: "carol",
    release: "dan",
  });
});
