import { describe, expect, it } from "vitest";
import { createPlanStand, type PlanStand } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const document = (then = "republish") => `
version: 1
sources: { default: {} }
defaults:
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  orders:
    mode: plan
    select: { topicName: orders }
    minAge: 1s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: ${then} }
  refunds:
    mode: plan
    select: { topicName: refunds }
    minAge: 1s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (out: string): readonly Row[] =>
  out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));

async function list({ run }: PlanStand, ...args: readonly string[]): Promise<readonly Row[]> {
  const { out, exitCode } = await run(["failures", ...args, "--json"]);
  expect(exitCode).toBe(0);
  return rowsOf(out);
}

const pass = ({ run }: PlanStand) => run(["drain", "--all", "--yes", "--json"]);

/** 30 of one kind and 5 of another in orders, 3 in refunds, all counted by a pass that only reports. */
async function setUp() {
  const stand = await createPlanStand(redis.url(), { document: document() });
  const ids = stand.seed(30);
  stand.seed(5, { responseStatus: 500, responseBody: '{"error":"stock of item 17 is locked"}' });
  stand.seed(3, {
    responseStatus: 422,
    responseBody: "no such refund: 12345",
    topicName: "refunds",
    url: "https://refunds.example.com/hook",
  });
  expect((await pass(stand)).exitCode).toBe(0);
  const [outage = {}, locked = {}, refund = {}] = await list(stand);
  return {
    ...stand,
    ids,
    outage: String(outage["id"]),
    locked: String(locked["id"]),
    refund: String(refund["id"]),
  };
}

describe("redriver failures", () => {
  it("lists kinds by what waits, on a terminal within 80 columns", async () => {
    const stand = await setUp();
    const terminal = await stand.run(["failures"], { terminal: true });
    console.log(terminal.out, terminal.err);
    const pipe = await stand.run(["failures"]);
    console.log(pipe.out);
    console.log((await stand.run(["failures", "show", stand.outage], { terminal: true })).out);
    console.log(await stand.run(["failures", "show", stand.outage, "--json"], { terminal: true }));
    console.log(
      await stand.run([
        "failures",
        "note",
        stand.outage,
        "--text",
        "receiver is down",
        "--ticket",
        "INC-7",
        "--by",
        "ann",
      ]),
    );
    console.log(await stand.run(["failures", "quiet", stand.outage, "--until", "changed", "--by", "ann"]));
    console.log((await stand.run(["failures", "show", stand.outage], { terminal: true })).out);
    console.log((await stand.run(["failures"], { terminal: true })).out);
    console.log((await stand.run(["history"])).out);
    console.log((await stand.run(["plan", "--all", "--failure", stand.outage], { terminal: true })).out);
  });
});
