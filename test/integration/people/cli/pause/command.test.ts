import { expect, it } from "vitest";
import type { Status } from "../../../../../src/people/operations/status/read.ts";
import { Destinations } from "../../../../../src/people/console/parts/destinations.tsx";
import { toText } from "../../../../support/console-forms.ts";
import { createCommandStand, type CommandStand } from "../../../../support/command-stand.ts";
import { expectTold } from "../../../../support/cli.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const setUp = () => createCommandStand(redis.url());
const because = ["--reason", "they move their database", "--by", "ann"];

async function statusOf({ run }: CommandStand) {
  const { out } = await run(["status", "--json"]);
  return JSON.parse(out) as {
    readonly drains: readonly Record<string, unknown>[];
    readonly sources: readonly Record<string, unknown>[];
  };
}

it("a host's pause holds what goes there and nothing else, and status and history show it", async () => {
  const stand = await setUp();
  const { receiver, seed, run, drain } = stand;
  const { host } = new URL(receiver.url);
  const other = receiver.url.replace("127.0.0.1", "localhost");
  seed(2, { responseStatus: 503 });
  seed(3, { responseStatus: 503, url: `${other}/hook` });

  const pause = await run(["pause", "--host", host, "--for", "30m", ...because]);
  expect(pause).toMatchObject({ exitCode: 0, out: "" });
  expect(pause.err).toMatch(
    new RegExp(
      `^${host} of all drains of source default: paused until \\d{4}-.* UTC; no dead letter of it was met`,
    ),
  );
  expect(await drain()).toMatchObject({ republished: 3, held: 2, reasons: { held: { "host-paused": 2 } } });
  expect((await run(["drain", "orders", "--yes"])).err).toContain(`orders: ${host} is paused by ann`);

  const { drains, sources } = await statusOf(stand);
  expect(drains[0]).toMatchObject({ drain: "orders", paused: null, reasons: { held: { "host-paused": 2 } } });
  const { until = 0 } = (sources[0]!["hostPauses"] as readonly { until?: number }[])[0] ?? {};
  expect(sources[0]).toMatchObject({ hostPauses: [{ drain: "*", host, by: "ann", reason: because[1] }] });
  expect(Math.abs(until - Date.now() - 30 * 60_000)).toBeLessThan(60_000);
  const overview = (await run(["status"])).out;
  expect(overview).toMatch(/paused\s+by\s+ann\s+until/);
  // With its date if that is tomorrow.
  expect(overview).toMatch(/ paused until (?:\d{4}-\S+ )?\d\d:\d\d UTC$/m);
  const text = (await run(["status", "orders"])).out;
  expect(text).toMatch(new RegExp(`^host pauses\n[^]* ann[^]*they move`, "m"));

  const resume = await run(["resume", "--host", host, "--reason", "moved", "--by", "bob"]);
  expect(resume.err).toBe(`${host} of all drains of source default: resumed\n`);
  expect(await drain()).toMatchObject({ republished: 2, held: 0 });
  const acts = (await stand.rows("history")).filter(({ act }) => act === "pause" || act === "resume");
  expect(acts).toMatchObject([
    { act: "resume", host, why: "moved", by: "bob", drain: null },
    { act: "pause", host, why: because[1], by: "ann", forMs: 30 * 60_000 },
  ]);
  expect((await run(["history"])).out).toMatch(new RegExp(`pause .*${host} .*for 30m`));
  expect((await run(["pause", "--host", host, ...because])).err).toMatch(/: paused\n$/);
});

it("what a paused drain has is paused everywhere, and has no next probe", async () => {
  const stand = await setUp();
  const { seed, run, drain } = stand;
  seed(3, { responseStatus: 503 });
  await run(["pause", "orders", ...because]);
  await drain();
  const status = (await statusOf(stand)) as unknown as Status;
  expect(status.drains[0]).toMatchObject({
    destinations: [{ isPaused: true, pause: null }],
    outlook: { going: 0 },
  });
  expect((await run(["status"])).out).toMatch(/^127\.0\.0\.1\S* .* paused$/m);
  const plan = (await run(["plan", "orders"])).out;
  expect(plan).toMatch(/paused +by ann: they move their database\n[^]* now +3 republish \(paused\)\n/);
  const page = toText(String(await Destinations({ status })));
  expect(page).toMatch(/1 paused .*paused by ann until somebody resumes it/);
  expect(page).not.toMatch(/that drain|next/);
});

it("a pause of a kind of failure holds what failed so, and no other answer of the same host", async () => {
  const stand = await setUp();
  const { seed, run, drain, rows } = stand;
  seed(2, { responseStatus: 503, responseBody: "upstream down" });
  seed(3, { responseStatus: 503, responseBody: "deploy in progress" });
  await run(["plan", "orders"]);
  await run(["pause", "orders", ...because]);
  await drain();
  const kinds = await rows("failures", "--all");
  const { id } = kinds.find(({ text }) => text === "upstream down")!;
  await run(["resume", "orders", ...because]);

  expectTold(await run(["pause", "--failure", "0123456789", ...because]), 2, "no kind of failure");
  await run(["pause", "--failure", String(id), ...because]);
  expect(await drain()).toMatchObject({ republished: 3, held: 2, reasons: { held: { "host-paused": 2 } } });
  expect((await run(["status"])).out.replaceAll(/\s+/g, " ")).toContain(
    `failure ${String(id)} paused by ann: they move their database`,
  );

  await run(["resume", "--failure", String(id), ...because]);
  expect(await drain()).toMatchObject({ republished: 2, held: 0 });
});

it("a pause of one drain may end by itself, and is named by its drain and its host alone", async () => {
  const { seed, run, drain } = await setUp();
  seed(1, { responseStatus: 503 });
  await run(["pause", "orders", "--for", "1s", ...because]);
  expect(await drain()).toMatchObject({ republished: 0, reasons: { due: { paused: 1 } } });
  await expect.poll(() => drain(), { timeout: 30_000, interval: 500 }).toMatchObject({ republished: 1 });

  await run(["pause", "orders", "--host", "https://pay.example.com", ...because]);
  await run(["pause", "--host", "pay.example.com", ...because]);
  const one = await run(["resume", "orders", "--host", "pay.example.com", "--reason", "x"]);
  expect(one.err).toBe(
    "pay.example.com of orders: resumed; pay.example.com of all drains still paused by ann (they move their database): redriver resume --host pay.example.com\n",
  );
  // A pause has no stars: it would hold nothing.
  expect((await run(["pause", "--host", "*.example.com", ...because])).exitCode).toBe(2);
  await run(["pause", "--host", "queue:of two words", ...because]);
  await run(["pause", "--all", ...because]);
  const all = await run(["resume", "--all", "--reason", "over"]);
  expect(all).toMatchObject({ exitCode: 0 });
  expect(all.err).toContain("all drains of source default: resumed; ");
  // As a shell takes it, which would look for files otherwise.
  expect(all.err).toContain("redriver resume --host 'queue:of two words'");
  expect(all.err).toContain("redriver resume --host pay.example.com");
});

it("a reason and a name are refused if they are too long, before anything is done", async () => {
  const { run, rows } = await setUp();
  const long = await run(["pause", "orders", "--by", "ann", "--reason", "y".repeat(501)]);
  expectTold(long, 2, "at most 500 characters, got 501");
  for (const by of ["", "z".repeat(101), "ann\u202e"]) {
    const named = await run(["pause", "orders", "--reason", "x", "--by", by]);
    expectTold(named, 2, "Expected a name of at most 100 visible characters");
  }
  expect(await rows("history")).toEqual([]);
});

it("the reason is asked for on a terminal, and needed", async () => {
  const { run, rows } = await setUp();
  expect(await run(["pause", "--all"], { terminal: true, answer: " look first " })).toMatchObject({
    exitCode: 0,
    questions: [expect.stringContaining("Why?")],
  });
  expect((await run(["resume", "--all"], { terminal: true, answer: "seen" })).exitCode).toBe(0);
  expect((await rows("history")).map(({ act, why }) => [act, why])).toEqual([
    ["resume", "seen"],
    ["pause", "look first"],
  ]);
  expectTold(await run(["pause", "--all"], { terminal: true, answer: "  " }), 2, "a pause needs a reason");
  expect(await run(["resume", "orders"])).toMatchObject({
    exitCode: 2,
    questions: [],
    err: expect.stringContaining("--reason") as string,
  });
  expect(await run(["pause", "ordres"], { terminal: true, answer: "x" })).toMatchObject({
    exitCode: 2,
    questions: [],
  });
  expect(await rows("history")).toHaveLength(2);
});

it.each([
  [["pause", "--host", "pay.example.com/hook", ...because], "--host"],
  [["pause", "--all", "--for", "soon", ...because], "--for"],
  [["pause", "--all", "--for", "0s", ...because], "--for"],
  [["resume", "--all", "--for", "1h", ...because], "--for"],
  [["pause", ...because], "--all"],
  [["pause", "orders", "--all", "--host", "pay.example.com", ...because], "--all"],
])("%j is refused, and says which option is wrong", async (argv, option) => {
  const { run } = await setUp();
  const { exitCode, err } = await run(argv);
  expect({ exitCode, names: err.includes(option) }).toEqual({ exitCode: 2, names: true });
});

it("a flag that takes one value is refused twice, so that no host is passed over in silence", async () => {
  const { run } = await setUp();
  expect(await run(["pause", "--host", "a.test", "--host", "b.test", ...because])).toMatchObject({
    exitCode: 2,
    out: "",
    err: "redriver: command-misused: --host is given twice: it takes one value\n",
  });
});
