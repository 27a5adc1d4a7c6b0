import type { DlqId, RawRecord } from "../../src/job/message/dead-letter.ts";
import type { Archive } from "../../src/job/contracts/archive.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import type { MessageService } from "../../src/job/contracts/service.ts";
import type { DrainRuntime } from "../../src/job/runtime.ts";
import { writeParked } from "../../src/job/page/park.ts";
import { workPage } from "../../src/job/page/work-page.ts";
import type { Leftover } from "./scenario.ts";
import type { Stand } from "./stand.ts";

/** Until a worker is where it dies. */
type Stuck = () => void;

/**
 * A worker of the drain `left` that dies in the middle of its work, at each of the places where something is
 * left for the sweep: it goes through the same stages and then never hears of the answer.
 */
export async function leaveBehind(stand: Stand): Promise<void> {
  const leftovers = ["begun", "sent", "published", "drop-begun", "drop-archived", "discard-begun"] as const;
  for (const leftover of leftovers) {
    const drain = drainOf(stand, "left");
    const records = await listed(drain, idsOf(stand, leftover));
    const { at } = await drain.source.ledger.now();
    await new Promise<void>((stuck, failed) => {
      const dying = dyingAt(leftover, drain, stuck);
      workPage(dying, { records, readAt: at }, new AbortController().signal).then(
        () => failed(new Error(`the worker of ${leftover} came to its end`)),
        failed,
      );
    });
  }
  const mixed = drainOf(stand, "mixed");
  const [byEarlierRules, byTheseRules] = idsOf(stand, "parked-by-rules");
  await park(mixed, byEarlierRules, "of-earlier-rules");
  await park(mixed, byTheseRules, mixed.config.rulesHash);
}

/** As these rules had said while their `ignoreAfter` was ahead, or others in their place. */
async function park(drain: DrainRuntime, dlqId: DlqId | undefined, rulesHash: string): Promise<void> {
  if (dlqId === undefined) throw new Error("the scenario has no letter to park");
  const parking = { dlqId, reason: "rule", rule: "outage", attempt: 0 } as const;
  await writeParked({ ...drain, config: { ...drain.config, rulesHash } }, [parking]);
}

/** The drain of a worker that gets so far and no further. */
function dyingAt(
  leftover: Exclude<Leftover, "parked-by-rules">,
  drain: DrainRuntime,
  stuck: Stuck,
): DrainRuntime {
  const { service } = drain.source;
  const calls: MessageService = {
    list: (query, signal) => service.list(query, signal),
    publish: (items, lastByteAllowed, signal) => service.publish(items, lastByteAllowed, signal),
    remove: (ids, signal) => service.remove(ids, signal),
    clockOffsetMs: () => service.clockOffsetMs(),
  };
  const withService = (changed: Partial<MessageService>): DrainRuntime => ({
    ...drain,
    source: { ...drain.source, service: { ...calls, ...changed } },
  });
  switch (leftover) {
    case "begun":
      return withService({ publish: () => never(stuck) });
    case "sent":
      return withService({
        publish: async (items, lastByteAllowed, signal) => {
          const outcome = await service.publish(items, lastByteAllowed, signal);
          if (outcome.kind !== "answered") throw new Error(`a leftover was to be sent: ${outcome.kind}`);
          return never(stuck);
        },
      });
    case "published":
    case "drop-archived":
      return withService({ remove: () => never(stuck) });
    case "drop-begun":
      return { ...drain, archive: { ...drain.archive, write: () => never(stuck) } as Archive };
    case "discard-begun":
      return { ...dyingAt("drop-begun", drain, stuck), discard: { why: "plan 1f2e3d4c: INC-7" } };
  }
}

function never<Answer>(stuck: Stuck): Promise<Answer> {
  stuck();
  return new Promise(() => undefined);
}

function drainOf({ core }: Stand, name: string): DrainRuntime {
  const drain = core.drains.get(name as DrainName);
  if (drain === undefined) throw new Error(`the scenario has a drain ${name}`);
  return drain;
}

function idsOf({ letters }: Stand, leftover: Leftover): readonly DlqId[] {
  return letters.filter((one) => one.leftover === leftover).map(({ dlqId }) => dlqId as DlqId);
}

async function listed(
  { source, config }: DrainRuntime,
  ids: readonly DlqId[],
): Promise<readonly RawRecord[]> {
  const { records } = await source.service.list({ select: config.select, count: 100 });
  return records.filter(({ dlqId }) => ids.includes(dlqId as DlqId));
}
