/**
 * What became of what an apply has sent. An accepted publish is no delivery, so its lanes' watch is waited for:
 *
 *   the ledger: which of the plan are published ─► the queue: which came back ─┬─ all are known, or the watch is over: told
 *                    ▲                                callbacks: delivered     │
 *                    └─────────────── 1 s, 2 s, 4 s, … ────────────────────────┘
 *
 * It reads alone. So a second apply of a plan tells the same, also of what a killed one has sent.
 */
import { isRedriverError } from "../../../job/contracts/errors.ts";
import type { PlanVerdict } from "../../../job/contracts/plans.ts";
import { comeBackKindOf } from "../../../job/message/come-back-kind.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import {
  findComeBacks,
  runListingChecks,
  type DrainRuntime,
  type ListingSignals,
} from "../../../job/door.ts";
import { toDestinationText } from "../destination-text.ts";
import { present, toTime } from "../phrases.ts";
import type { Applied } from "../../plan/apply.ts";
import type { PlanCheck } from "../../plan/check-plan.ts";

export interface FollowRun {
  readonly drain: DrainRuntime;
  readonly check: Pick<PlanCheck, "orders" | "sentFrom">;
  readonly signals: ListingSignals;
  readonly sentHere: number;
  readonly stop: Applied["stop"];
  readonly isWanted: boolean;
  readonly onNews: (verdict: PlanVerdict | null) => void;
}

const firstWaitMs = 1_000;
/** By then the watch is over by every clock. */
const afterWatchMs = 250;
/** The service's Date has whole seconds, and clocks differ. */
const clockSlackMs = 5_000;
const idsPerPeek = 100;
const maxFailures = 10;
const maxKinds = 3;

const stopWords = {
  interrupted: "it was stopped",
  paused: "it was paused",
  failed: "the apply has failed",
} as const satisfies Record<NonNullable<Applied["stop"]>["kind"], string>;

/** Null if nothing was sent, or if Redis is away and nobody knows. Never throws. */
export async function follow(run: FollowRun): Promise<PlanVerdict | null> {
  const { drain, signals, onNews } = run;
  const { lane } = drain.config;
  const stop = AbortSignal.any([signals.signal, signals.stopping]);
  const known = createKnown(run);
  // Without lanes nothing is followed, so nothing of it has come back.
  const tell = (state: PlanVerdict["state"], why?: string): PlanVerdict | null =>
    known.sent.size === 0
      ? null
      : withShare(run.sentHere, toVerdict(state, known, lane?.haltAt ?? 0, lane?.watchMs ?? 0, why));
  try {
    const sentMsAgo = await known.readLedger();
    if (known.sent.size === 0 && !known.isInDoubt()) return null;
    if (lane === undefined) return tell("not-followed", "the drain has no lanes");
    if (run.stop !== null) return tell("not-followed", stopWords[run.stop.kind]);
    if (!run.isWanted) return tell("not-followed");
    let leftMs = lane.watchMs + afterWatchMs - sentMsAgo;
    for (let waitMs = firstWaitMs; !stop.aborted; waitMs *= 2) {
      const isLast = leftMs <= 0;
      // A look that fails is made up for by the next.
      await known.look(isLast, stop).catch((error: unknown) => {
        if (isLast || !isRedriverError(error)) throw error;
      });
      if (isLast || (known.silent() === 0 && !known.isInDoubt())) return tell("told");
      const news = tell("following");
      const until = toTime(drain.source.clock.now() + leftMs).slice(11);
      onNews(news && { ...news, text: `${news.text}, watched until ${until}` });
      const nextMs = Math.min(leftMs, waitMs);
      await drain.source.clock.sleep(nextMs, stop);
      leftMs -= nextMs;
    }
    return tell("stopped");
  } catch (error) {
    if (stop.aborted) return tell("stopped");
    return tell("unknown", isRedriverError(error) ? error.code : String(error));
  }
}

/** What the plan has sent is more than this apply has, if the drain itself or an earlier apply sent some of it. */
function withShare(sentHere: number, { text, ...verdict }: PlanVerdict): PlanVerdict {
  const others = verdict.sent - sentHere;
  const share = `; of these, this apply sent ${sentHere}, and the drain itself or an earlier apply ${others}`;
  return { ...verdict, text: sentHere === 0 || others <= 0 ? text : `${text}${share}` };
}

type Known = ReturnType<typeof createKnown>;

function createKnown({ drain: { source }, check: { orders, sentFrom } }: FollowRun) {
  const candidates = [...orders].flatMap(([dlqId, { then }]) => (then === "republish" ? [dlqId] : []));
  const sent = new Set<DlqId>();
  const back = new Map<DlqId, Omit<PlanVerdict["failures"][number], "count">>();
  /** Of those that came back: their kind. */
  const kinds = new Map<DlqId, string>();
  const delivered = new Set<DlqId>();
  let backAt = 0;
  /** A publish has no answer yet. Its come-back would show that it was sent. */
  let isInDoubt = false;

  /** Answers how long ago the last of them was sent, and names those with a come-back that another has met. */
  const readLedger = async () => {
    const named: DlqId[] = [];
    let sentMsAgo = Infinity;
    isInDoubt = false;
    for (let from = 0; from < candidates.length; from += idsPerPeek) {
      const ids = candidates.slice(from, from + idsPerPeek);
      const { views, at } = await source.ledger.peek(ids);
      for (const [index, dlqId] of ids.entries()) {
        const view = views[index];
        if (view?.state === "open") {
          isInDoubt = true;
          sentMsAgo = Math.min(sentMsAgo, at - view.lastAt);
        }
        if (view?.state !== "published" && view?.state !== "gone") continue;
        // A drop is gone too, and a plan from the archive has drops that nobody has sent yet.
        if ("wasArchived" in view) continue;
        sent.add(dlqId);
        sentMsAgo = Math.min(sentMsAgo, at - view.at);
        if (view.cameBack === true) named.push(dlqId);
      }
    }
    return { sentMsAgo, named };
  };

  return {
    sent,
    back,
    kinds,
    delivered,
    backAt: () => backAt,
    hostOf: (dlqId: DlqId) => orders.get(dlqId)?.host ?? "",
    silent: () => sent.size - back.size - delivered.size,
    isInDoubt: () => isInDoubt,
    readLedger: async () => (await readLedger()).sentMsAgo,
    async look(isLast: boolean, stop: AbortSignal): Promise<void> {
      // Without a daemon nobody else judges the lanes.
      await runListingChecks(source, stop);
      const from = Math.floor(sentFrom - clockSlackMs);
      const found = await findComeBacks(source, from, isLast, stop, (dlqId) => orders.has(dlqId));
      for (const { parentDlqId, origin, status, kind, at } of found ?? []) {
        sent.add(parentDlqId);
        kinds.set(parentDlqId, kind);
        back.set(parentDlqId, { destination: origin, status });
        backAt = Math.max(backAt, at ?? 0);
      }
      // What came back and was sent on since is in no listing.
      const named = isLast ? (await readLedger()).named : [];
      for (const dlqId of named) if (!back.has(dlqId)) back.set(dlqId, { destination: null, status: null });
      const reported = await source.lanes.deliveredOf([...sent]);
      for (const dlqId of reported as Iterable<DlqId>) delivered.add(dlqId);
      for (const dlqId of back.keys()) delivered.delete(dlqId);
    },
  };
}

const maxBadHosts = 3;

function toVerdict(
  state: PlanVerdict["state"],
  known: Known,
  haltAt: number,
  watchMs: number,
  why?: string,
): PlanVerdict {
  const textOf = (verdict: Omit<PlanVerdict, "text">): string =>
    toText(verdict, known.backAt(), watchMs, why);
  const count = (ids: readonly DlqId[]) => countOf(state, ids, known, haltAt);
  const hosts = [...groupBy(known.sent, known.hostOf)].map(([host, ids]) => ({ host, ids, of: count(ids) }));
  const bad = hosts
    .filter(({ of }) => of.isBad)
    .toSorted((one, other) => other.of.cameBack - one.of.cameBack);
  const named = bad.slice(0, maxBadHosts);
  const others = hosts.filter((one) => !named.includes(one));
  const all = count([...known.sent]);
  const kinds = toKinds(known);
  const verdict = { ...all, ...(kinds.length > 0 ? { kinds } : {}), isBad: all.isBad || bad.length > 0 };
  if (named.length === 0 || bad.length === hosts.length) return { ...verdict, text: textOf(verdict) };
  const rest = textOf(count(others.flatMap(({ ids }) => ids)));
  const texts = [
    ...named.map(
      ({ host, of }) => `${toDestinationText(of.failures[0]?.destination ?? host)}: ${textOf(of)}`,
    ),
    `${others.length === 1 ? toDestinationText(others[0]?.host ?? "") : `${others.length} other hosts`}: ${rest}`,
  ];
  return { ...verdict, text: texts.join("; ") };
}

function toKinds({ kinds }: Known): NonNullable<PlanVerdict["kinds"]> {
  return [...groupBy(kinds.values(), (id) => id)]
    .map(([id, some]) => ({ id, count: some.length }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, maxKinds);
}

function countOf(
  state: PlanVerdict["state"],
  ids: readonly DlqId[],
  { back, delivered }: Known,
  haltAt: number,
): Omit<PlanVerdict, "text"> {
  const met = ids.flatMap((dlqId) => back.get(dlqId) ?? []);
  const failures = [...groupBy(met, (failure) => JSON.stringify(failure)).values()]
    .map((alike) => ({ ...alike[0]!, count: alike.length }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, maxFailures);
  const [sent, cameBack] = [ids.length, met.length];
  const heard = ids.filter((dlqId) => delivered.has(dlqId)).length;
  const isBad = cameBack > 0 && (cameBack > haltAt * sent + 1e-9 || cameBack === sent);
  return { state, sent, cameBack, delivered: heard, silent: sent - cameBack - heard, failures, isBad };
}

/** `5 sent, 5 came back: 503, the receiver was still down at 07:24:50 UTC`. It is read later too. */
function toText(verdict: Omit<PlanVerdict, "text">, backAt: number, watchMs: number, why?: string): string {
  const { state, sent, cameBack, delivered, silent, failures } = verdict;
  if (state === "not-followed") {
    return `${sent} sent, not followed${why === undefined ? "" : `, as ${why}`}: whether they came back is not known`;
  }
  const soFar = state === "told" ? "" : " so far";
  const parts = [
    `${sent} sent`,
    cameBack > 0
      ? `${cameBack} came back${soFar}: ${toFailuresText(failures)}${toCause(verdict, backAt)}`
      : delivered < sent && `none came back${soFar || ` in ${formatDuration(watchMs)}`}`,
    delivered > 0 && `${delivered} delivered`,
    silent > 0 &&
      state !== "following" &&
      `${silent === sent ? "" : `${silent} ${silent === 1 ? "has" : "have"} not come back yet, `}which is no proof of delivery`,
    state === "stopped" && "not followed to the end of its watch",
    state === "unknown" && `the queue was not read to its end (${why})`,
  ];
  return present(parts).join(", ");
}

function toFailuresText(failures: PlanVerdict["failures"]): string {
  const isOneHost = new Set(failures.map(({ destination }) => destination)).size === 1;
  return failures
    .map(({ destination, status, count }) => {
      const said = status === null ? "sent on since" : status === 0 ? "no answer" : `${status}`;
      const from = isOneHost || destination === null ? "" : ` from ${toDestinationText(destination)}`;
      return `${failures.length === 1 ? "" : `${count} × `}${said}${from}`;
    })
    .join("; ");
}

/** Empty if it is not one receiver that answers one thing. */
function toCause({ sent, cameBack, failures, isBad }: Omit<PlanVerdict, "text">, backAt: number): string {
  const origins = new Set(failures.map(({ destination }) => destination));
  const kinds = new Set(failures.map(({ status }) => status !== null && comeBackKindOf(status)));
  const [origin] = origins;
  const [kind] = kinds;
  if (!isBad || origins.size !== 1 || kinds.size !== 1 || kind === false || !origin) return "";
  const who = cameBack === sent ? "the receiver" : toDestinationText(origin);
  const at = backAt === 0 ? "" : ` at ${toTime(backAt).slice(11)}`;
  return `, ${who} ${kind === "down" ? "was still down" : "refused them"}${at}`;
}
