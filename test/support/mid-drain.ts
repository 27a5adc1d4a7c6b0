import { expect } from "vitest";
import { startDaemon } from "./daemon.ts";
import { createDrainStage, readyz, type Ready } from "./drain-stage.ts";
import type { RedisServer } from "./redis-servers.ts";

export type Daemon = Awaited<ReturnType<typeof startDaemon>>;

/** A daemon in the middle of a drain of slow batches. */
export async function startMidDrain(redis: {
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
}) {
  const stage = await createDrainStage(redis);
  const bodies = stage.seed(600);
  stage.emulator.faults.add({ kind: "latency", operation: "batch", ms: 200, name: "slow" });
  const daemon = await startDaemon(stage.setup.env);
  await daemon.line(({ act }) => act === "published");
  return {
    stage,
    daemon,
    /** Drained, and ready again. */
    async endsWell(timeoutMs = 60_000) {
      stage.emulator.faults.remove("slow");
      await stage.emptied(timeoutMs);
      await isReady(daemon);
    },
    /** Each record was. */
    deliveredOnce: () => stage.deliveredOnce(bodies),
  };
}

export async function isReady(daemon: Daemon): Promise<void> {
  await expect.poll(() => readyz(daemon.address), { timeout: 20_000 }).toEqual({ ok: true, reasons: [] });
}

/** Not ready for a reason that says this, and alive. */
export async function saysNotReady(daemon: Daemon, words: string | RegExp): Promise<void> {
  // Of one answer: a moment later it may be ready again.
  const said = async (): Promise<string> => {
    const answer = await fetch(`${daemon.address}/readyz`);
    return `${answer.status} ${((await answer.json()) as Ready).reasons.join("\n")}`;
  };
  const pattern = typeof words === "string" ? words.replaceAll(/[.()+]/g, String.raw`\$&`) : words.source;
  await expect.poll(said, { timeout: 30_000 }).toMatch(new RegExp(`^503 [^]*(?:${pattern})`));
  expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
}

/** Resolves when this replica has taken over. */
export async function becomesMaster({ admin }: RedisServer): Promise<void> {
  await expect
    .poll(async () => String(await admin.call("INFO", "replication")), { timeout: 20_000 })
    .toContain("role:master");
}
