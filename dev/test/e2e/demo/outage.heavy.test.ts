import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Recording } from "../../../demo/outage/recording-file.ts";
import { isAlive, toPids, toRows, useDemos, type DemoEnded } from "../../../../test/support/demo.ts";
import { toOutageSvg } from "../../../../test/pictures/outage-svg.ts";

const startDemo = useDemos();

describe("redriver demo --outage", () => {
  let run: DemoEnded;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "redriver-test-outage-"));
    // One probe instead of three, and as many messages as a lane opens with: half of the time.
    const args = ["--outage", "--messages=700", "--probes=1", `--record=${path.join(dir, "recording.json")}`];
    run = await startDemo(args).finished;
  }, 240_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it("ends with 0: each message was delivered once, and nothing is left", () => {
    expect(run, run.stdout).toMatchObject({ code: 0 });
    expect(toRows(run.stdout)).toMatchObject({
      published: "840",
      "delivered exactly once": "840",
      lost: "0",
      doubled: "0",
      // Five canaries, and a probe that came back.
      "sent while down": "6",
    });
  });

  it("tells how the lane halts, is probed, and opens", () => {
    const lines = run.stderr.split("\n").filter((line) => line.includes("orders.localhost"));
    const recovered = lines.findIndex((line) => line.includes("has recovered"));
    // What came back and what the lane became of it are told in either order.
    for (const words of ["came back with 503", "halted", "a probe"]) {
      const at = lines.findIndex((line) => line.includes(words));
      expect([words, at]).toEqual([words, expect.toSatisfy(() => at >= 0 && at < recovered)]);
    }
    for (const words of ["1 delivered", "open"]) {
      const at = lines.findLastIndex((line) => line.includes(words));
      expect([words, at]).toEqual([words, expect.toSatisfy(() => at > recovered)]);
    }
  });

  it("records what a picture can be made of", () => {
    const recording = JSON.parse(readFileSync(path.join(dir, "recording.json"), "utf8")) as Recording;
    // All five, or those that a slow machine had listed by then.
    const [first] = recording.bursts;
    expect(first).toMatchObject({ state: "canary", cameBack: first?.sent });
    expect(first?.sent).toBeLessThanOrEqual(5);
    expect(recording.moves.map(({ to }) => to)).toEqual(expect.arrayContaining(["halted", "open"]));
    expect(recording.seconds.at(-1)).toMatchObject({ deadLetters: 0, atOther: 0, state: "open" });
    const delivered = recording.seconds.reduce((total, second) => total + second.delivered, 0);
    expect(delivered).toBe(700);
    expect(toOutageSvg(recording)).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("leaves no process and no file behind", () => {
    expect(toPids(run.stderr)).toHaveLength(2);
    expect(toPids(run.stderr).filter(isAlive)).toEqual([]);
    expect(readdirSync(run.tmpDir)).toEqual([]);
  });
});

describe("redriver demo --outage --without-lane", () => {
  it("ends with 1, and says which promises were not kept", async () => {
    const { code, stdout } = await startDemo(["--outage", "--without-lane", "--messages=60"]).finished;
    expect(code).toBe(1);
    expect(stdout).toContain("Not as it had to be:");
    expect(stdout).toMatch(
      /\d+ messages went to orders\.localhost in the first 3\.0 s while it was down, expected at most 5/,
    );
    expect(stdout).toMatch(/\d+ had to be delivered and were not/);
    expect(stdout).not.toContain("Every message was delivered");
  }, 240_000);
});

describe("redriver demo --outage, ended or asked wrongly", () => {
  it("stops everything on Ctrl-C and exits with 3", async () => {
    const demo = startDemo(["--outage", "--messages=40"]);
    await demo.said("is down: it answers 503");
    demo.process.kill("SIGINT");
    const { code, stderr, tmpDir } = await demo.finished;
    expect(code).toBe(3);
    expect(toPids(stderr)).toHaveLength(2);
    expect(toPids(stderr).filter(isAlive)).toEqual([]);
    expect(await readdir(tmpDir)).toEqual([]);
  }, 120_000);

  it.each([
    [["--outage", "--messages=19"], "--messages: expected a whole number from 20 to 5000 with --outage"],
    [["--outage", "--probes=0"], "--probes: expected a whole number from 1 to 6 with --outage"],
    [["--record=x.json"], "only with --outage"],
  ])("refuses %j and starts nothing", async (args, says) => {
    const { code, stderr, stdout } = await startDemo(args).finished;
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stdout).toBe("");
  });
});
