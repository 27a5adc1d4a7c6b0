import { expect, it } from "vitest";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { note } from "../../../../src/people/operations/acts/failures-note.ts";
import { release } from "../../../../src/people/operations/acts/parked-release.ts";
import { pause } from "../../../../src/people/operations/acts/pause.ts";
import { resume } from "../../../../src/people/operations/acts/resume.ts";
import { performAs } from "../../../support/perform.ts";
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
  await performAs(core, pause, { drains: ["main"] }, { by: "Ann Ö. <ann@example.com>" });
  await performAs(core, resume, { drains: ["main"] }, { by: "bob" });
  const [failure] = await readFailureViews(core, Date.now());
  await performAs(core, note, { id: failure!.id, text: "known" }, { by: "carol" });
  expect(await performAs(core, release, { all: true }, { by: "dan" })).toMatchObject({
    done: [expect.stringMatching(/^released 1; /)],
  });
  const acts: Record<string, string> = {};
  for await (const { act, by } of openAuditReader(core).read({ order: "oldest-first" })) acts[act] = by;
  expect(acts).toMatchObject({
    pause: "Ann Ö. <ann@example.com>",
    resume: "bob",
    note: "carol",
    release: "dan",
  });
});
