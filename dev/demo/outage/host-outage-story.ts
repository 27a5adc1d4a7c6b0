import { createEmulatorClient, publish, type EmulatorClient } from "../emulator-client.ts";
import { judgeRun } from "../judge-deliveries.ts";
import { toSeconds, type StoryRun } from "../run-story.ts";
import { createDeadline, isInTime, waitUntil } from "../waits.ts";
import { toFacts, watchedTypes, type HostFacts, type WatchedEntry } from "./replay-journal.ts";
import { judgeOutage } from "./judge-outage.ts";
import { burstGapMs } from "./bursts-of-tries.ts";
import { createNarrator } from "./narrate.ts";
import { drainName, lane, planWebhooks, timeScale, toHosts, toName, type Hosts } from "./outage-scenario.ts";

export type HostOutageResult = Awaited<ReturnType<typeof playHostOutage>>;

interface HostOutageOptions {
  /** To the host that is down. */
  readonly messages: number;
  /** Probes that come back before it has recovered. */
  readonly probes: number;
  readonly runId: string;
}

/** Many times what a quiet machine needs. */
export const deadlineMs = 240_000;
const pollMs = 250;
const progressEveryMs = 2_000;
/** Of the messages to the host that is down, so many to the other one. */
const otherShare = 0.2;
/** Webhooks arrive during the outage, not at its begin: a hundred each time. */
const perArrival = 100;
const arrivalEveryMs = 500;

/**
 * One host of a receiver is down from start to end of an outage, and its webhooks fail; those of another host
 * have failed too, and it is well. Every step waits for what it says; only the webhooks arrive by the clock.
 */
export async function playHostOutage(run: StoryRun, options: HostOutageOptions) {
  const { stack, say } = run;
  const { receiver, daemon } = stack;
  using deadline = createDeadline(deadlineMs, run.signal);
  const { signal } = deadline;
  const api = createEmulatorClient(stack.emulator, signal);
  const polling = { everyMs: pollMs, signal };
  const hosts = toHosts(receiver);
  const names = { down: toName(hosts.down), other: toName(hosts.other) };
  const readView = createView(api, hosts);

  await waitUntil(async () => ((await daemon.isReady()) ? true : null), polling);
  await receiver.open();
  say(
    `times are 1:${timeScale}: a lane watches for ${lane.watchMs / 1_000} s instead of a minute, probes go every ${lane.probeEveryMs / 1_000} s at first, and then more rarely`,
  );
  const narrators = [
    createNarrator(hosts.down, names.down),
    createNarrator(hosts.other, names.other),
  ] as const;
  let saidAt = Date.now();
  let saidDepth = 0;

  receiver.fail("steady");
  const sent = [...(await publish(api, plan(hosts.other, "mail", Math.ceil(options.messages * otherShare))))];
  await waitUntil(async () => ((await api.state()).dlqSize >= sent.length ? true : null), polling);
  receiver.recover("steady");
  const downAt = Date.now();
  say(`${names.other} has failed for a moment and is well again: ${sent.length} dead letters`);
  say(`${names.down} is down: it answers 503`);

  const webhooks = plan(hosts.down, "order", options.messages);
  let arrived = 0;
  let seen = await watch(async ({ now, down, other }) => {
    if (arrived < webhooks.length && now - downAt >= (arrived / perArrival) * arrivalEveryMs) {
      sent.push(...(await publish(api, webhooks.slice(arrived, arrived + perArrival))));
      arrived += perArrival;
      if (arrived >= webhooks.length) say(`${webhooks.length} webhooks to ${names.down} have arrived`);
    }
    const cameBack = down.tries.filter(({ outcome }) => outcome === "came back").length;
    // The last of them is shown before the recovery is.
    const isShown = now - (down.tries.at(-1)?.at ?? now) > burstGapMs + pollMs;
    const isTried = cameBack >= lane.canary + options.probes && isShown;
    // What waits for a retry is pending too; what redriver sent is not waited for.
    const areDead = down.depths.length > 0 && (await api.state()).pending === 0;
    const isOtherDrained = other.depths.at(-1)?.deadLetters === 0;
    return arrived >= webhooks.length && isTried && areDead && isOtherDrained;
  });

  receiver.recover("flaky");
  const backAt = Date.now();
  say(
    `${names.down} has recovered, after ${toSeconds(backAt - downAt)}: ${deadLettersOf(seen.down)} dead letters`,
  );
  const settled = await isInTime(async () => {
    seen = await watch(async ({ down }) => {
      const { pending, dlqSize } = await api.state();
      if (pending > 0 || down.tries.some(({ endedAt }) => endedAt === null)) return false;
      return dlqSize === 0 || dlqSize === (await parked());
    });
    // What the journal says of the last of them may be younger than the reading that missed them.
    seen = await watch(() => Promise.resolve(true));
  }, deadline);

  const verdict = await judgeRun(run, sent);
  const evidence = { down: seen.down, other: seen.other, backAt, lane, names };
  return {
    sent,
    hosts,
    down: seen.down,
    other: seen.other,
    moves: daemon.moves,
    downAt,
    backAt,
    // With what lanes promise among its differences, also if not all was settled before the deadline.
    verdict: { ...verdict, differences: [...verdict.differences, ...judgeOutage(evidence)] },
    settled,
  };

  function plan(host: string, kind: string, count: number) {
    return planWebhooks(count, host, `${options.runId}-${kind}`);
  }

  async function watch(isOver: (seen: OutageView) => Promise<boolean>): Promise<OutageView> {
    return waitUntil(async () => {
      const now = await readView();
      const { moves } = daemon;
      const lines = [
        ...narrators[1]({ facts: now.other, moves, now: now.now }),
        ...narrators[0]({ facts: now.down, moves, now: now.now }),
      ];
      for (const line of lines) say(line);
      const [ofDown, ofOther] = [deadLettersOf(now.down), deadLettersOf(now.other)];
      // Probes and canaries have lines of their own.
      const isNews = Math.abs(ofDown + ofOther - saidDepth) > lane.canary;
      if (isNews && now.now - saidAt >= progressEveryMs) {
        saidAt = now.now;
        saidDepth = ofDown + ofOther;
        say(`dead letters: ${ofDown} of ${names.down}, ${ofOther} of ${names.other}`);
      }
      return (await isOver(now)) ? now : null;
    }, polling);
  }

  /** What the daemon has given up: it is waited for no longer, and judged by what is in the DLQ. */
  async function parked(): Promise<number | null> {
    return (await daemon.metrics()).sum("redriver_records", { drain: drainName, state: "parked" });
  }
}

interface OutageView {
  readonly now: number;
  readonly down: HostFacts;
  readonly other: HostFacts;
}

function createView(api: EmulatorClient, hosts: Hosts): () => Promise<OutageView> {
  const entries: WatchedEntry[] = [];
  return async () => {
    entries.push(...(await api.journal(watchedTypes, entries.at(-1)?.seq ?? 0)));
    return { now: Date.now(), down: toFacts(entries, hosts.down), other: toFacts(entries, hosts.other) };
  };
}

const deadLettersOf = ({ depths }: HostFacts): number => depths.at(-1)?.deadLetters ?? 0;
