import { requireRedis, openJobQueue } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import type { Register } from "../command-context.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import { loadForReading } from "../load-config.ts";
import { toJsonLine } from "../output/json.ts";
import { isColoured, printResult } from "../output/print.ts";
import { repaintEvery, repaintMs } from "../output/watch.ts";
import { withCore } from "../with-core.ts";
import { toOverview } from "./overview.ts";
import { createPaint } from "./paint.ts";
import { readStatus, type Status } from "../../operations/status/read.ts";
import { toSharedInPart } from "../../read/totals.ts";
import { toDetailsText } from "./details.ts";

interface StatusOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
}

/** With its details a drain does not fit a window anyway. */
const detailedRows = 200;

export const registerStatus: Register = (program, { io }) => {
  program
    .command("status")
    .description("what waits, where and until when, as Redis has it; with a drain its details")
    .argument("[drains...]", "drains of the document, to be shown in detail")
    .option("--watch", "show it again every 2 s, until Ctrl-C")
    .option("--json", "print as JSON; with --watch a line each time")
    .action(async (names: string[], { json = false, watch = false }: StatusOptions, command) => {
      const loaded = loadForReading(command, io);
      const { settings, problems } = loaded;
      await withCore(io, loaded, {}, async (core, teardown) => {
        const named = names.length === 0 ? null : chooseDrains(core, names).map(({ config }) => config.name);
        await requireRedis(core);
        const jobs = await openJobQueue({ settings, teardown });
        const read = async (): Promise<Status> => {
          const nextRuns = await jobs.nextRuns();
          const status = await readStatus(core, { nextRuns, problems, now: systemClock.now() });
          return named === null ? status : onlyOf(status, named);
        };
        const toText = (status: Status): string => {
          const paint = createPaint(isColoured(io));
          if (named === null) return toOverview(io, status, paint);
          const { columns } = io;
          return `${toOverview({ columns, rows: detailedRows }, status, paint)}\n${toDetailsText(columns, status)}`;
        };
        if (!watch) {
          const status = await read();
          printResult({ out: isColoured(io) && !json ? io.draw : io.out }, json, status, () =>
            toText(status),
          );
          return;
        }
        await (json
          ? repaintEvery(io, repaintMs, async () => toJsonLine(await read()), "lines")
          : repaintEvery(io, repaintMs, async () => toText(await read())));
      });
    });
};

/** Of these drains and their sources. */
export function onlyOf(status: Status, names: readonly string[]): Status {
  const drains = status.drains.filter(({ drain }) => names.includes(drain));
  const sources = status.sources.flatMap((one) => {
    const isWhole = status.drains.every(
      (drain) => drain.source !== one.source || names.includes(drain.drain),
    );
    const own = drains.filter((drain) => drain.source === one.source);
    return own.length > 0 ? [{ ...one, shared: isWhole ? one.shared : toSharedInPart(own) }] : [];
  });
  return { ...status, drains, sources };
}
