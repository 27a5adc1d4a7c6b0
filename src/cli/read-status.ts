import type { Core } from "../compose/build-core.ts";
import { pauseOf, readQueueFacts } from "../compose/read-facts.ts";
import type { PauseRecord } from "../ports/passes.ts";

/** Since when a drain is held back, by whom and why; the document says only that it is. */
export type Pause = PauseRecord | { readonly by: "document" } | null;

/** Everything that Redis knows of the document's drains and sources, and of who works on them. `now`: Unix ms. */
export async function readStatus(core: Core, nextRuns: ReadonlyMap<string, number>, now: number) {
  const [facts, replicas, pauses] = await Promise.all([
    readQueueFacts(core),
    core.replicas.all(),
    readPauses(core),
  ]);
  return {
    at: now,
    documentHash: core.document.hash,
    drains: facts.drains.map(({ drain, source, guards, facts: found }) => {
      const config = core.drains.get(drain)?.config;
      const byPerson = pauseOf(pauses.get(source) ?? [], drain);
      const paused: Pause = byPerson ?? (config?.paused === true ? { by: "document" } : null);
      return {
        drain,
        source,
        mode: config?.mode ?? "plan",
        paused,
        guards,
        /** Null: no daemon has scheduled it. */
        nextPassAt: nextRuns.get(`tick:${drain}`) ?? null,
        ...found,
      };
    }),
    sources: facts.sources.map(({ source, summary, census }) => ({ source, ...summary, census })),
    replicas: replicas.map((replica) => ({
      ...replica,
      sameDocument: replica.documentHash === core.document.hash,
    })),
  };
}

export type Status = Awaited<ReturnType<typeof readStatus>>;

async function readPauses(core: Core): Promise<ReadonlyMap<string, readonly PauseRecord[]>> {
  return new Map(
    await Promise.all(
      [...core.sources.values()].map(
        async ({ runtime, pauses }) => [runtime.config.id, await pauses.all()] as const,
      ),
    ),
  );
}
