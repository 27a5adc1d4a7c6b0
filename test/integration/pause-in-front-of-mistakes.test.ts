import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runHere } from "../support/cli.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();

function envWith(document: string): Record<string, string> {
  const dir = mkdtempSync(join(tmpdir(), "redriver-pause-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "drains.yaml");
  writeFileSync(file, document);
  return {
    REDRIVER_REDIS_URL: redis.url(),
    REDRIVER_SERVICE_URL: "http://127.0.0.1:1",
    REDRIVER_SERVICE_TOKEN: "never-used",
    REDRIVER_DRAINS_FILE: file,
  };
}

const mistaken = `version: 1
sources: { eu: { retention: soon } }
drains:
  orders: { modus: live, rules: [{ then: explode }] }
  refunds: { source: eu }
`;

test("a document with mistakes keeps nobody from pausing and resuming what it names", async () => {
  const env = envWith(mistaken);
  const pause = await runHere(["pause", "--all", "--reason", "stop everything"], env);
  expect(pause).toMatchObject({ exitCode: 0 });
  expect(pause.err).toContain("all drains of source eu: paused");
  expect(pause.err).toContain("drains.yaml:4:13");
  expect((await runHere(["pause", "orders", "--reason", "this one"], env)).exitCode).toBe(0);
  const resume = await runHere(["resume", "--all", "--reason", "go on"], env);
  expect(resume).toMatchObject({ exitCode: 0 });
  expect(resume.err).toContain("all drains of source eu: resumed");
  expect((await runHere(["pause", "nobody", "--reason", "x"], env)).exitCode).toBe(2);
});

test("where not even names can be read, the way out is told", async () => {
  const { exitCode, err } = await runHere(["pause", "--all", "--reason", "x"], envWith("drains: [\n"));
  expect(exitCode).toBe(78);
  expect(err).toContain("--drains");
});
