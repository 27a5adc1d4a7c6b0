import { expect, test } from "vitest";
import { runHere } from "../../../support/cli.ts";
import { createFolder } from "../../../support/command.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

function envWith(document: string): Record<string, string> {
  const folder = createFolder({ "drains.yaml": document });
  return {
    REDRIVER_REDIS_URL: redis.url(),
    REDRIVER_SERVICE_URL: "http://127.0.0.1:1",
    REDRIVER_SERVICE_TOKEN: "never-used",
    REDRIVER_DRAINS_FILE: `${folder.path}/drains.yaml`,
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

test.each([
  ["mistakes", mistaken, 3],
  ["no YAML", `${mistaken}  broken: { rules: [\n`, 1],
])("a document with %s keeps nobody from reading what Redis knows", async (_, document, problems) => {
  const env = envWith(document);
  const warning = new RegExp(
    `^warning: .*drains\\.yaml has ${problems} problems?, so only its names, source ids and addresses are read; redriver rules check`,
    "m",
  );
  await runHere(["pause", "orders", "--reason", "to be seen"], envWith(mistaken));
  const status = await runHere(["status", "--json"], env);
  expect(status.err).toMatch(warning);
  expect(JSON.parse(status.out)).toMatchObject({
    documentHash: null,
    documentProblems: problems,
    drains: expect.arrayContaining([
      expect.objectContaining({ drain: "orders", source: "eu", mode: null }),
      expect.objectContaining({ drain: "refunds", source: "eu", mode: null }),
    ]) as unknown,
  });
  expect((await runHere(["status"], env)).out).toMatch(
    new RegExp(`the drains document has ${problems} problems?,\\s+see redriver rules check`),
  );
  const parked = await runHere(["parked", "list"], env);
  expect(parked).toMatchObject({ exitCode: 0, err: expect.stringMatching(warning) });
  const history = await runHere(["history"], env);
  expect(history).toMatchObject({ exitCode: 0, err: expect.stringMatching(warning) });
  expect(history.out).toContain("to be seen");
  // Rules cannot be asked, and nothing is let go by what cannot be read.
  expect((await runHere(["parked", "list", "--rule", "outage"], env)).exitCode).toBe(78);
  const release = ["parked", "release", "--all", "--yes", "--reason", "x"];
  expect((await runHere(release, env)).exitCode).toBe(78);
});

test.each([
  ["what is wrong is told by what reads too", ["status"], "document-invalid"],
  ["the way out is told", ["pause", "--all", "--reason", "x"], "--drains"],
])("where not even names can be read, %s", async (_, argv, said) => {
  const { exitCode, err } = await runHere(argv, envWith("drains: [\n"));
  expect(exitCode).toBe(78);
  expect(err).toContain(said);
});
