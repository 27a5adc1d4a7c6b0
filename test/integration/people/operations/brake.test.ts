/** `redriver brake`: what was published waits at the service, and each is delivered once after a resume. */
import { expect, it } from "vitest";
import { brake } from "../../../../src/people/operations/acts/brake.ts";
import { pause } from "../../../../src/people/operations/acts/pause.ts";
import { resume } from "../../../../src/people/operations/acts/resume.ts";
import { toVerdict } from "../../../../src/people/operations/status/verdict.ts";
import { readStatus } from "../../../../src/people/operations/status/read.ts";
import { performAs } from "../../../support/perform.ts";
import { behindTheHorizon, createRig, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const drain = `
    minAge: 0s
    lane: none
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: theirs, when: { flowControlKey: { prefix: redriver. } }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const open = (options: Partial<RigOptions> = {}): Promise<Rig> =>
  createRig({ redisUrl: redis.url(), drain, source: "{ brake: 10 }", ...options });
const host = "127.0.0.1";
const states = ({ emulator }: Rig) =>
  emulator.journal.entries("request").filter(({ path }) => path.includes("/v2/flowControl"));
/** As if a batch had been begun before the pause. */
async function resumedHere({ core, advance }: Rig, { host }: { readonly host?: string }): Promise<void> {
  const [source] = core.sources.values();
  await source?.pauses.resume({ drain: "*", ...(host === undefined ? {} : { host }) });
  // Pauses are known for a second.
  advance(1_100);
}
async function keysOfDead({ emulator: { url, token } }: Rig): Promise<readonly unknown[]> {
  const answer = await fetch(`${url}/v2/dlq`, { headers: { Authorization: `Bearer ${token}` } });
  const { messages } = (await answer.json()) as { readonly messages: readonly { flowControlKey?: string }[] };
  return messages.map(({ flowControlKey }) => flowControlKey);
}
const verdictOf = async ({ core }: Rig): Promise<string> =>
  toVerdict(await readStatus(core, { nextRuns: new Map(), problems: 0, now: Date.now() }));

it.each([{ host }, { all: true }])(
  "%j: nothing more is delivered until a resume, and then each once",
  async (what) => {
    const rig = await open();
    rig.seed(30);
    await rig.pass();
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toHaveLength(30);
    const other = rig.seed(30);
    const braked = await performAs(rig.core, brake, what);
    expect(braked.done.join()).toMatch(/paused; at the service [12] keys? paused, 0 published wait there/);
    await resumedHere(rig, what);
    await rig.fullPass();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(rig.receiver.deliveries).toHaveLength(30);
    expect(await verdictOf(rig)).toContain(
      "braked at the service: 30 published wait, redriver resume lets go",
    );
    const gone = await performAs(rig.core, resume, what);
    expect(gone.done.join()).toMatch(/was not paused.*; let go at the service: redriver\.127\.0\.0\.1_\d+/);
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toHaveLength(30 + other.length);
    expect(await verdictOf(rig)).not.toContain("braked");
  },
);

it("--all waits for a POST that is under way to a host without a key, and pauses that too", async () => {
  const rig = await open();
  const ids = rig.seed(30);
  rig.emulator.faults.add({ kind: "latency", operation: "batch", ms: 1_000, count: 1 });
  const pass = rig.pass();
  const { ledger } = rig.drain.source;
  await expect.poll(async () => (await ledger.summary()).open).toBe(30);
  expect((await performAs(rig.core, brake, { all: true })).done.join()).toContain("1 key paused");
  await pass;
  expect(await verdictOf(rig)).toContain("braked at the service");
  await performAs(rig.core, resume, { all: true });
  await rig.emulator.idle();
  expect(rig.receiver.deliveries).toHaveLength(ids.length);
});

it("keeps a key of the message's own, and says nothing is braked there", async () => {
  const rig = await open();
  await performAs(rig.core, brake, { host });
  await resumedHere(rig, { host });
  rig.seed(3, { flowControlKey: "theirs", parallelism: 2 });
  await rig.pass();
  await rig.emulator.idle();
  expect(rig.receiver.deliveries).toHaveLength(3);
});

it("tries again after 429, 500 and a lost answer", async () => {
  const rig = await open();
  const { faults } = rig.emulator;
  faults.add({ kind: "status", operation: "manage", status: 429, count: 2 });
  faults.add({ kind: "status", operation: "manage", status: 500, when: "after", count: 1 });
  faults.add({ kind: "drop-answer", operation: "manage", count: 1 });
  expect(await performAs(rig.core, brake, { host })).toMatchObject({
    done: [expect.stringContaining("1 key paused") as string],
  });
  expect(states(rig).length).toBeGreaterThanOrEqual(6);
});

it("a service that fails on leaves the pause here, or its own after a resume, and neither act counts as done", async () => {
  const rig = await open();
  rig.emulator.faults.add({ kind: "status", operation: "manage", status: 403 });
  const did = await performAs(rig.core, brake, { host });
  const unsaid = "the service did not confirm it, so do it again";
  expect(did).toMatchObject({ done: [], refused: [expect.stringContaining(`paused here alone; ${unsaid}`)] });
  expect(await [...rig.core.sources.values()][0]?.pauses.all()).toMatchObject([{ drain: "*", host }]);
  const resumed = await performAs(rig.core, resume, { host });
  expect(resumed).toMatchObject({ done: [], refused: [expect.stringContaining(`: resumed; ${unsaid}`)] });
});

it.each([404, 405])(
  "of a service that answers %i nothing is sent under a key, until it answers an act or status again",
  async (status) => {
    const rig = await open();
    rig.emulator.faults.add({ kind: "status", operation: "manage", status });
    expect((await performAs(rig.core, brake, { all: true })).done.join()).toContain(
      "what is published goes on: the service has no /v2/flowControl",
    );
    expect(rig.eventsOf("brake:switched-off")).toHaveLength(1);
    await performAs(rig.core, resume, { all: true });
    rig.seed(1);
    await rig.pass();
    await rig.emulator.idle();
    expect(rig.receiver.deliveries).toHaveLength(1);
    rig.emulator.faults.clear();
    expect(
      rig.emulator.journal.entries("accepted").every((one) => !JSON.stringify(one).includes("redriver.")),
    ).toBe(true);
    expect(await verdictOf(rig)).not.toContain("braked");
    expect(rig.drain.source.brake.parallelism()).toBe(10);
  },
);

it("a key that was listed is not let go of by a 404", async () => {
  const rig = await open();
  await performAs(rig.core, brake, { host });
  const { held, resume: letGo } = rig.drain.source.brake;
  const keys = await held(host, []);
  rig.emulator.faults.add({ kind: "status", operation: "manage", status: 404, count: 1 });
  await letGo(keys);
  expect(await held(host, [])).toEqual([]);
});

it("a 404 in an act leaves no key paused behind a later resume", async () => {
  const rig = await open();
  rig.seed(30);
  await rig.pass();
  await performAs(rig.core, brake, { all: true });
  rig.emulator.faults.add({ kind: "status", operation: "manage", status: 404 });
  await performAs(rig.core, brake, { host });
  rig.emulator.faults.clear();
  expect(await verdictOf(rig)).toContain("braked at the service");
  await performAs(rig.core, resume, { all: true });
  const gone = await performAs(rig.core, resume, { host });
  expect(gone.done.join()).toContain("let go at the service");
  expect(await verdictOf(rig)).not.toContain("braked");
});

it("a source without the setting asks nothing of the service, and sends under no key", async () => {
  const rig = await open({ source: "{}" });
  expect((await performAs(rig.core, brake, { all: true })).done.join()).toContain(
    "its source has no `brake`",
  );
  await performAs(rig.core, resume, { all: true });
  rig.seed(1);
  await rig.pass();
  await verdictOf(rig);
  expect(states(rig)).toEqual([]);
  await expect(performAs(rig.core, brake, {})).rejects.toThrow("give a host, or --all");
});

it("a pause of all drains goes on to hold what one host's resume would let go", async () => {
  const rig = await open();
  await performAs(rig.core, brake, { host });
  await performAs(rig.core, pause, { all: true });
  expect((await performAs(rig.core, resume, { host })).done.join()).not.toContain("let go");
  expect((await performAs(rig.core, resume, { all: true })).done.join()).toContain("let go");
});

it("a come-back is decided by the flow control that its root had: none", async () => {
  const rig = await open();
  rig.receiver.answer = () => 503;
  rig.seed(1, { maxRetries: 0 });
  await rig.pass();
  await rig.emulator.idle();
  expect(await keysOfDead(rig)).toEqual([expect.stringMatching(/^redriver\./)]);
  rig.receiver.answer = () => 200;
  await behindTheHorizon(rig);
  await rig.pass();
  await rig.emulator.idle();
  expect(rig.emulator.dlq.size).toBe(0);
  expect(rig.receiver.deliveries).toHaveLength(2);
});
