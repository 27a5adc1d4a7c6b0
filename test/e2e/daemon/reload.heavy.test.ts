import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere as ask } from "../../support/cli.ts";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, document } from "../../support/drain-stage.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

it("an edited document is obeyed after the page, without a restart, and everybody can see it", async () => {
  const stage = await createDrainStage({ url: redis.url() });
  const { emulator, setup } = stage;
  // Nine seconds for four windows at once; the edit is seen within two.
  const bodies = stage.seed(2_400);
  emulator.faults.add({ kind: "latency", operation: "batch", ms: 1_500, name: "slow" });
  const daemon = await startDaemon(setup.env);
  const metric = async (name: string): Promise<number | undefined> => {
    const text = await (await fetch(`${daemon.address}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };
  /** As an editor that knows its trade writes: the file is whole at every moment. Answers the line of its adoption. */
  const replace = (text: string) => {
    const before = daemon.log.length;
    renameSync(setup.folder.write("next.yaml", text), join(setup.folder.path, "drains.yaml"));
    return daemon.line((one) => one.event === "document:adopted" && daemon.log.indexOf(one) >= before);
  };

  await daemon.line(({ act }) => act === "published");
  const { hash, before } = await replace(document.replace("then: republish", "then: hold"));
  const held = 'redriver_records{source="default",drain="main",state="held"}';
  await expect.poll(async () => (await metric(held)) === emulator.dlq.size, { timeout: 30_000 }).toBe(true);
  expect(emulator.dlq.size).toBeGreaterThan(100);
  expect(await metric(`redriver_config_info{hash="${String(hash)}"}`)).toBe(1);
  expect(await metric(`redriver_config_info{hash="${String(before)}"}`)).toBeUndefined();
  expect(await metric("redriver_config_last_reload_successful")).toBe(1);
  const at = await metric("redriver_config_last_reload_success_timestamp_seconds");
  expect(Math.abs(Date.now() / 1_000 - (at ?? 0))).toBeLessThan(60);
  const { out } = await ask(["status", "--json"], setup.env);
  expect(JSON.parse(out)).toMatchObject({
    documentHash: hash,
    replicas: [{ documentHash: hash, sameDocument: true, rejected: null }],
  });

  await emulator.idle();
  emulator.faults.remove("slow");
  await replace(document);
  await stage.emptied(30_000);
  stage.deliveredOnce(bodies);
  await daemon.endsWell();
  expect((await ask(["status", "main"], setup.env)).out).toMatch(/^not running/);
}, 180_000);
