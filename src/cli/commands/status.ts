import { openCore, requireRedis } from "../../compose/open-core.ts";
import { pauseOf, readQueueFacts } from "../../compose/read-facts.ts";
import { createTeardown } from "../../compose/teardown.ts";
import type { Core } from "../../compose/build-core.ts";
import type { Register } from "../command-context.ts";
import { loadAll } from "../load.ts";
import { silent } from "../silent.ts";
import { toTable } from "../table.ts";

const closeWithinMs = 2_000;

export const registerStatus: Register = (program, { io }) => {
  program
    .command("status")
    .description("what each drain and source is at, as Redis knows it")
    .option("--json", "print as JSON")
    .action(async (options: { json?: boolean }, command) => {
      const { settings, document } = loadAll(command, io);
      const teardown = createTeardown();
      try {
        const core = openCore({ settings, document, env: io.env, events: silent, teardown });
        await requireRedis(core.redis);
        const status = await readStatus(core);
        io.out(options.json === true ? `${JSON.stringify(status, null, 2)}\n` : toText(status));
      } finally {
        await teardown.run(closeWithinMs);
      }
    });
};

async function readStatus(core: Core) {
  const facts = await readQueueFacts(core);
  const pauses = new Map(
    await Promise.all(
      [...core.sources.values()].map(
        async (built) => [built.runtime.config.id, await built.pauses.all()] as const,
      ),
    ),
  );
  return {
    documentHash: core.document.hash,
    drains: facts.drains.map(({ drain, source, facts: found }) => {
      const config = core.drains.get(drain)?.config;
      const pause = pauseOf(pauses.get(source) ?? [], drain);
      return {
        drain,
        source,
        mode: config?.mode ?? "plan",
        paused: pause ?? (config?.paused === true ? { by: "document" } : null),
        ...found,
      };
    }),
    sources: facts.sources.map(({ source, summary }) => ({ source, ...summary })),
  };
}

function toText({ documentHash, drains, sources }: Awaited<ReturnType<typeof readStatus>>): string {
  const drainTable = toTable(
    [
      "drain",
      "source",
      "mode",
      "paused",
      "due",
      "held",
      "parked",
      "in doubt",
      "exact",
      "last complete",
      "open pass",
    ],
    drains.map((drain) => [
      drain.drain,
      drain.source,
      drain.mode,
      toPauseText(drain.paused),
      drain.due ?? "-",
      drain.held ?? "-",
      drain.parked ?? "-",
      drain.inDoubt ?? "-",
      drain.exact === undefined ? "-" : drain.exact ? "yes" : "no",
      toTime(drain.lastSuccessAt),
      toTime(drain.openPass?.startedAt),
    ]),
  );
  const sourceTable = toTable(
    ["source", "open", "unknown", "pending delete", "oldest pending", "failed deletes", "settle gate"],
    sources.map((source) => [
      source.source,
      source.open ?? "-",
      source.unknown ?? "-",
      source.pendingDelete ?? "-",
      toTime(source.oldestPendingAt),
      source.failedDeletes ?? "-",
      source.settleGate ?? "-",
    ]),
  );
  return `document ${documentHash}\n\n${drainTable}\n${sourceTable}`;
}

function toPauseText(pause: { readonly by: string; readonly reason?: string } | null): string {
  if (pause === null) return "no";
  return pause.reason === undefined ? `by ${pause.by}` : `by ${pause.by}: ${pause.reason}`;
}

function toTime(at: number | null | undefined): string {
  return at === null || at === undefined ? "-" : new Date(at).toISOString();
}
