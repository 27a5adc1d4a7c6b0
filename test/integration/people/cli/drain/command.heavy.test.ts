import { describe, expect, it } from "vitest";
import type { Row } from "../../../../support/cli.ts";
import { createCommandStand } from "../../../../support/command-stand.ts";
import { createScreen } from "../../../../support/screen.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = (more = "") => `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    lane: none
    select: { topicName: orders }
    minAge: 1s
    attempts: { wait: [1s] }
    ${more}
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  looked:
    select: { topicName: refunds }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const setUp = (more?: string) => createCommandStand(redis.url(), document(more));

describe("redriver drain without a terminal", () => {
  it("goes on without a question", async () => {
    const { seed, run } = await setUp();
    seed(3, { responseStatus: 503 });
    seed(2, { responseStatus: 503, topicName: "refunds" });
    const { exitCode, out } = await run(["drain", "--all", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { mode: "live", tally: { republished: 3, deleted: 3 } },
      { mode: "plan", tally: { due: 2, republished: 0 } },
    ]);
  });

  it("asks where there is a terminal, and does nothing without a yes", async () => {
    const { emulator, seed, run } = await setUp();
    seed(3, { responseStatus: 503 });
    expect(await run(["drain", "orders"], { terminal: true, confirm: false })).toMatchObject({
      exitCode: 3,
      questions: [expect.stringContaining("orders (live)")],
    });
    expect(emulator.dlq.size).toBe(3);
    expect(await run(["drain", "orders"], { terminal: true, confirm: true })).toMatchObject({ exitCode: 0 });
    expect(emulator.dlq.size).toBe(0);
  });
});

describe("redriver drain where destinations have lanes", () => {
  const withLanes = document().replace("lane: none", "lane: { watch: 2s, probeEvery: 1m }");

  it("waits for what it sent first, sends the rest where that stays away, and shows its progress in one row", async () => {
    const { emulator, receiver, seed, run } = await createCommandStand(redis.url(), withLanes);
    seed(40, { responseStatus: 503 });
    const screen = createScreen(1_000);
    const onTerminal = { terminal: true, onOut: screen.write, onErr: screen.write };
    expect((await run(["drain", "orders", "--yes"], onTerminal)).exitCode).toBe(0);
    expect(screen.rows().filter((row) => !row.startsWith("warning: "))).toEqual([
      expect.stringMatching(
        /^orders: 35 records held until what was sent has stayed away; the next listing check is in \d+s$/,
      ),
      "orders: 40 listed, 40 sent again, 40 deleted, 0 held, 0 parked",
      expect.stringMatching(/^drain +mode +outcome +listed /),
      expect.stringMatching(/^orders +live +complete +40 /),
      "",
      expect.stringMatching(/^drain +decision +reason /),
      expect.stringMatching(/^orders +republish +due +outage +40$/),
      "",
    ]);
    await emulator.idle();
    expect([...receiver.counts().values()]).toEqual(Array.from({ length: 40 }, () => 1));
  });

  it.each([
    ["paused", "paused: true", { republished: 0, due: 5, held: 35, reasons: { due: { paused: 5 } } }],
    [
      "a day's ceiling",
      "limits: { perDay: 1, publish: none, perHost: none }",
      { republished: 1, reasons: { due: { "day-limit": 10 } } },
    ],
  ])("waits no more where nothing is watched: %s", async (_why, more, tally) => {
    const limited = withLanes.replace("minAge: 1s", `minAge: 1s\n    ${more}`);
    const { seed, run } = await createCommandStand(redis.url(), limited);
    seed(40, { responseStatus: 503 });
    const { exitCode, out } = await run(["drain", "orders", "--json"]);
    expect(JSON.parse(out)).toMatchObject([{ outcome: "complete", tally: { listed: 40, ...tally } }]);
    expect(exitCode).toBe(3);
  });

  it("leaves the rest where what it sent first comes back", async () => {
    const { emulator, receiver, seed, run } = await createCommandStand(redis.url(), withLanes);
    receiver.answer = () => 503;
    seed(40, { responseStatus: 503 });
    const { exitCode, out } = await run(["drain", "orders", "--json"]);
    expect(exitCode).toBe(0);
    const [line] = JSON.parse(out) as readonly Row[];
    expect(line).toMatchObject({
      outcome: "complete",
      tally: { listed: 40, republished: 5, held: 35, reasons: { held: { "lane-halted": 35 } } },
    });
    // Each record once, although it was listed by every pass.
    expect(line).toMatchObject({
      decisions: [
        { decision: "hold", reason: "lane-halted", count: 35 },
        { decision: "republish", reason: "due", count: 5 },
      ],
    });
    expect(receiver.deliveries).toHaveLength(5);
    expect(emulator.dlq.size).toBe(40);
  });
});

describe("redriver drain, told to stop in its last page", () => {
  it("says that it was stopped and how much was done, and ends with 3", async () => {
    const { emulator, seed, run } = await setUp("limits: { publish: 2/s, perHost: none }");
    seed(12, { responseStatus: 503 });
    const told: { interrupt?: () => void } = {};
    const running = run(["drain", "orders", "looked", "--yes", "--json"], {
      onListening: (stop) => (told.interrupt = stop),
    });
    await emulator.journal.waitFor((entry) => entry.type === "accepted");
    told.interrupt?.();
    const { exitCode, out, err } = await running;
    expect(exitCode).toBe(3);
    const [line, ...others] = JSON.parse(out) as readonly Row[];
    expect(others).toEqual([]);
    const { tally } = line as { readonly tally: Readonly<Record<string, number>> };
    expect(line).toMatchObject({ outcome: "stopped", exitCode: 3, tally: { listed: 12 } });
    const { republished = 0, due = 0 } = tally;
    expect(republished).toBeGreaterThan(0);
    expect(republished).toBeLessThan(12);
    expect(republished + due).toBe(12);
    expect(err).toContain(
      `orders: stopped after 12 records: ${republished} sent again, ${tally["deleted"]} deleted; the next pass goes on\n`,
    );
    expect(err).toContain("not begun: looked\n");

    expect(
      await run(["drain", "orders", "--yes"], { onListening: (stop) => (told.interrupt = stop) }),
    ).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^orders +live +complete /m) });
    expect(emulator.dlq.size).toBe(0);
  });

  it("says complete where nothing was left", async () => {
    const { emulator, seed, run } = await setUp();
    seed(3, { responseStatus: 503 });
    const told: { interrupt?: () => void } = {};
    const running = run(["drain", "orders", "--yes", "--json"], {
      onListening: (stop) => (told.interrupt = stop),
    });
    await emulator.journal.waitFor((entry) => entry.type === "accepted");
    told.interrupt?.();
    const { exitCode, out } = await running;
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ outcome: "complete", tally: { republished: 3, due: 0 } }]);
  });
});
