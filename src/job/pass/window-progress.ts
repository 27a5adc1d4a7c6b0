import type { TakenWindow } from "../contracts/passes.ts";
import type { Tally } from "../contracts/tally.ts";
import type { FailureTally } from "../failures/count-failures.ts";
import type { PageOutcome } from "../page/page-report.ts";
import type { DrainRuntime } from "../runtime.ts";

/** The pass's row is written at most this often for one window. Its end writes the rest. */
const progressEveryMs = 500;

interface OwnWindow extends Pick<TakenWindow, "pass" | "window"> {
  readonly drain: DrainRuntime;
  readonly owner: string;
}

export function createProgress(
  { drain: { source, shared }, pass: { drain, passId }, window: { windowId }, owner }: OwnWindow,
  onLeft: (windows: number) => void,
  onTakenOver: () => void,
) {
  let due: ReturnType<typeof toDueLater> = [];
  // What a window has listed first is told at once.
  let writtenAt = -Infinity;
  const write = async (tally: Tally, failures: FailureTally): Promise<void> => {
    const dueLater = due;
    due = [];
    writtenAt = source.clock.monotonic();
    const counts = await source.recordFailures(drain, failures);
    const left = await source.passes.progress(drain, passId, windowId, dueLater, tally, counts, owner);
    await shared?.write();
    if (left === "taken-over") onTakenOver();
    else if (left !== null) onLeft(left);
  };
  return {
    write,
    async page(left: PageOutcome["left"], tally: Tally, counted: () => FailureTally): Promise<void> {
      due = [...due, ...toDueLater(left)];
      if (source.clock.monotonic() - writtenAt >= progressEveryMs) await write(tally, counted());
    },
    async end(tally: Tally, failures: FailureTally): Promise<void> {
      if (due.length > 0) await write(tally, failures);
    },
  };
}

function toDueLater(left: PageOutcome["left"]) {
  return left.flatMap(({ enteredAt, dueAt, reason }) => {
    // Lanes know the minutes of the records they hold, and request as many as can go.
    if (dueAt === undefined || reason === "lane-watched" || reason === "lane-halted") return [];
    // A record that was not sent is due at once.
    return [{ enteredAt, dueAt: reason === "not-sent" ? 0 : dueAt }];
  });
}
