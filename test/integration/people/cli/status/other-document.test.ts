/** What `status` says where its own document is not that of the daemon, which goes on sending. */
import { expect, it } from "vitest";
import { expectTold, runHere } from "../../../../support/cli.ts";
import { startDaemon } from "../../../../support/daemon.ts";
import { createDrainStage, document } from "../../../../support/drain-stage.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

it("never says that nothing is sent while a daemon sends under another document", async () => {
  const { setup, seed, emptied } = await createDrainStage({ url: redis.url() });
  const { env, folder } = setup;
  const plan = folder.write("plan.yaml", document.replace("mode: live", "mode: plan"));
  const unreadable = folder.write("unreadable.yaml", "drains: [\n");
  const daemon = await startDaemon(env);
  folder.write("drains.yaml", document.replace("responseStatus:", "responseStatuss:"));
  await daemon.line(({ event }) => event === "document:rejected");

  for (const [named, drains] of [
    [[], [{ drain: "main", mode: "live" }]],
    [["--drains", plan], [{ drain: "main", mode: "live" }]],
    [["--drains", unreadable], []],
  ] as const) {
    const { exitCode, out } = await runHere([...named, "status"], env);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^another document is in force: it may send/);
    expect(out).not.toMatch(/nothing is sent|plan mode/);
    const { out: json } = await runHere([...named, "status", "--json"], env);
    expect(JSON.parse(json)).toMatchObject({ drains, replicas: [{ sameDocument: false }] });
  }
  expectTold(await runHere(["--drains", unreadable, "status", "main"], env), 78, "document-invalid");
  seed(3);
  await emptied(30_000);

  daemon.child.kill("SIGTERM");
  await daemon.ended;
  expect((await runHere(["--drains", plan, "status"], env)).out).toMatch(/^not running/);
  expect((await runHere(["--drains", unreadable, "status"], env)).exitCode).toBe(78);
}, 120_000);
