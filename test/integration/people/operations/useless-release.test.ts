/** A release that would only have its dead letter parked again says so, and is not recorded. */
import { describe, expect, it } from "vitest";
import { release } from "../../../../src/people/operations/acts/parked-release.ts";
import { auditOf } from "../../../support/audit-of.ts";
import { createCommandStand } from "../../../support/command-stand.ts";
import { performAs } from "../../../support/perform.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const drain = `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: moved, when: { label: moved }, then: republish, set: { destination: { host: new.example } } }
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

const actsOf = async ({ core }: Rig): Promise<readonly string[]> =>
  (await auditOf(core)).map(({ act }) => act);

describe("the release of one dead letter", () => {
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["bad-destination", { url: "https://u:p@api.example/x" }],
    ["bad-destination", { url: "https://api.example:99999/x", responseStatus: 422 }],
    ["binary-body", { body: "", bodyBase64: "/w==" }],
    ["unjoinable-header", { header: { Cookie: ["a=1", "b=2"] } }],
    ["destination-not-allowed", { url: "https://elsewhere.example/x" }],
  ];

  it.each(cases)("is refused before it is recorded: %s, %o", async (reason, fields) => {
    const settings = { "publish.allowHosts": ["127.0.0.1", "api.example"] };
    const rig = await createRig({ redisUrl: redis.url(), drain, settings });
    const [dlqId = ""] = rig.seed(1, fields);
    expect(await rig.pass()).toMatchObject({ tally: { parked: 1 } });
    const tried = await performAs(rig.core, release, { dlqIds: [dlqId] });
    expect(tried).toMatchObject({ done: [], refused: ["nothing was released"], results: [{ useless: 1 }] });
    expect(tried.warnings[0]).toContain(`1 would only be parked again for ${reason}: `);
    expect(await actsOf(rig)).toEqual(["park"]);
  });

  it("is made if the service cannot be read, and if a rule has mended the address by now", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    const [first = "", second = ""] = rig.seed(2, { responseStatus: 422, url: "https://u:p@old.example/x" });
    await rig.pass();
    rig.emulator.faults.add({ kind: "status", operation: "list", status: 500, count: 1 });
    const releaseOne = async (dlqId: string, core = rig.core) =>
      (await performAs(core, release, { dlqIds: [dlqId] })).results[0];
    expect(await releaseOne(first)).toMatchObject({ released: 1 });
    expect(await releaseOne(second)).toMatchObject({ released: 0, useless: 1 });
    const moved = await createRig({
      redisUrl: redis.url(),
      twinOf: rig,
      drain: drain.replace("label: moved", "responseStatus: 422"),
    });
    expect(await releaseOne(second, moved.core)).toMatchObject({ released: 1 });
    expect(await releaseOne(second, moved.core)).toMatchObject({ released: 0, notParked: [second] });
  });
});

describe("a release of many", () => {
  it("leaves those alone that would only be parked again", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(12, { url: "https://u:p@old.example/x" });
    await rig.pass();
    const all = { drain: "main", for: "bad-destination" };
    const { results } = await performAs(rig.core, release, all);
    expect(results).toMatchObject([{ released: 0, useless: 12 }]);
    expect(await actsOf(rig)).not.toContain("release");
  });

  it("is told by the command before it asks, by reason, and made of what is named alone", async () => {
    const { seed, run, drain: drainNow, rows } = await createCommandStand(redis.url());
    seed(2, { url: "https://u:p@old.example/x", responseStatus: 503 });
    seed(1, { body: "", bodyBase64: "/w==", responseStatus: 503 });
    seed(1);
    await drainNow();
    const release = ["parked", "release", "--all", "--reason", "x"];
    const no = await run(release, { terminal: true, confirm: false });
    expect(no).toMatchObject({ exitCode: 3, questions: [expect.stringContaining("Release 1?")] });
    expect(no.err).toContain(
      "2 would only be parked again for bad-destination: change the destination by a rule",
    );
    expect(no.err).toContain("1 would only be parked again for binary-body: ");
    expect(no.err).not.toContain("u:p");
    expect(await rows("parked", "list")).toHaveLength(4);
    const some = await run([...release, "--yes"]);
    expect(some.err).toMatch(/again for bad-destination[^]*\n3 are left parked; [^]*\nreleased 1; /);
    const left = await rows("parked", "list");
    expect(left).toHaveLength(3);
    const named = left.map(({ dlqId }) => String(dlqId));
    expect((await run(["parked", "release", ...named, "--anyway", "--reason", "x", "--yes"])).err).toContain(
      "released 3; ",
    );
  });
});
