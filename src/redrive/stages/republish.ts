/**
 * One batch of candidates: begin, POST, and what its answer proves.
 *
 *   begin ─► audit ─► POST ─┬─ answered ──► per position: published | refused | in doubt
 *                           ├─ refused ───► bisect, each half with its own begin, until one is refused alone (refusals.ts)
 *                           ├─ not sent ──► back to where it was
 *                           ├─ unknown ───► the same body under the same id after 1, 5, 15 s; then in doubt, left to the sweep;
 *                           │               where even the last answer is unreadable, the source is halted
 *                           └─ misconfigured ─► the source is halted
 *
 * The intent is in the ledger and in the audit before the POST, and the fact right after the answer. Deleting is settle.ts.
 */
import { encodeItem } from "../../message/encode-item.ts";
import { isRedisAway } from "../../ports/errors.ts";
import type { Token } from "../../ports/ids.ts";
import type { Series } from "../../ports/ledger-entries.ts";
import type { BeginOptions } from "../../ports/ledger.ts";
import type { BatchOutcome } from "../../ports/service.ts";
import { noteIntent, ofDrain } from "../note-act.ts";
import type { DrainRuntime } from "../runtime.ts";
import { toAuditRecord } from "./audit-record.ts";
import { halves } from "./halves.ts";
import { held, inDoubt, notBegun } from "./left.ts";
import { takeBack, type Begun, type Posting } from "./posting.ts";
import { isOfNow, recordPublished, tellDeclared, type Acceptance } from "./record-published.ts";
import type { Candidate, PublishResult } from "./records.ts";
import { createRefusals } from "./refusals.ts";
import { startSendDeadline } from "./send-deadline.ts";

/** The worker that holds the body tries again after these, under the same deduplication id. */
const retryAfterMs = [1_000, 5_000, 15_000];
/** Statuses that prove that nothing of the call was accepted; any other 4xx leaves its outcome unknown. */
const certainlyNotAccepted = new Set([401, 403, 404, 405, 415]);

/** Publishes one batch; a result for every candidate. Throws `redis-unavailable` only before anything of a POST was begun. */
export async function republish(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
  pageReadAt: number,
  signal: AbortSignal,
): Promise<readonly PublishResult[]> {
  const posting: Posting = { drain, pageReadAt, signal, refusals: createRefusals(drain) };
  const results = await post(posting, candidates, undefined, 0);
  return [...results, ...(await posting.refusals.conclude())];
}

async function post(
  posting: Posting,
  candidates: readonly Candidate[],
  previous: BeginOptions["previous"],
  retries: number,
): Promise<readonly PublishResult[]> {
  const { source, config } = posting.drain;
  const { ledger, service, clock } = source;
  const mayBeSent = startSendDeadline(clock, ledger.limits.sendByMs);
  const token = source.identities.token();
  const answer = await ledger.begin(
    candidates.map(({ letter, lineage }) => ({
      dlqId: letter.dlqId,
      messageId: letter.messageId,
      attempt: lineage.attempt,
    })),
    {
      token,
      drain: config.name,
      act: "republish",
      pageReadAt: posting.pageReadAt,
      pastHorizon: config.unknownOutcome === "republish" ? "new-series" : "leave",
      rulesHash: config.rulesHash,
      ...(previous === undefined ? {} : { previous }),
    },
  );
  if (answer.kind !== "answered") return candidates.map((candidate) => held(candidate, answer.kind));

  const results: PublishResult[] = [];
  const begun: Begun[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const verdict = answer.verdicts[index];
    if (verdict?.kind === "begun") {
      begun.push({ candidate, series: verdict.series, declaredDouble: verdict.declaredDouble });
    } else if (verdict !== undefined) {
      results.push(notBegun(candidate, verdict));
    }
  }
  if (begun.length === 0) return results;

  // On its way while the items are encoded, which takes about as long.
  const noted = isNoted(posting, begun);
  const items = begun.map(({ candidate, series }) => encodeItem(candidate.toItem(series.suffix)).json);
  if (!(await noted)) {
    const taken = begun.map(({ candidate }) => candidate);
    return [...results, ...(await takeBack(posting, token, taken, "not-sent", undefined))];
  }
  const outcome = await service.publish(items, mayBeSent, posting.signal);
  return [...results, ...(await conclude(posting, token, begun, outcome, retries))];
}

/** False when Redis is away: what is not in the audit is not sent. */
async function isNoted({ drain }: Posting, begun: readonly Begun[]): Promise<boolean> {
  try {
    await noteIntent(drain.source, "republish", begun.map(toAuditRecord), ofDrain(drain));
    return true;
  } catch (error) {
    if (!isRedisAway(error)) throw error;
    return false;
  }
}

async function conclude(
  posting: Posting,
  token: Token,
  begun: readonly Begun[],
  outcome: BatchOutcome,
  retries: number,
): Promise<readonly PublishResult[]> {
  const { source } = posting.drain;
  const { clock } = source;
  const candidates = begun.map(({ candidate }) => candidate);
  switch (outcome.kind) {
    case "answered":
      return concludeItems(posting, token, begun, outcome.items);
    case "refused":
      source.health.batchAnswered("none-accepted");
      return bisect(posting, token, candidates, outcome);
    case "not-sent": {
      const reason = outcome.why === "stopped" ? "stopping" : "not-sent";
      // A 429 was an answer: the service may have seen the ids, so a later hit must not pass for a publication.
      const counted = outcome.why === "rate-limited" ? "refused" : "not-sent";
      return takeBack(posting, token, candidates, reason, outcome.retryAt, counted);
    }
    case "unknown": {
      tellUnknown(posting, begun, outcome.error);
      const waitMs = retryAfterMs[retries];
      if (waitMs === undefined || !source.health.mayRetry()) {
        if (outcome.unreadable) source.health.halt("answer-unreadable", outcome.error, "batch");
        return candidates.map(inDoubt);
      }
      // Jitter, so that workers whose batches failed together do not come back together.
      if (!(await sleptFully(posting, waitMs * (1 + clock.random() / 4)))) return candidates.map(inDoubt);
      return postAgain(posting, candidates, { token, outcome: "unknown" }, retries + 1);
    }
    case "misconfigured": {
      source.health.halt(
        outcome.status === 401 || outcome.status === 403 ? "unauthorised" : "source-misconfigured",
        outcome.error,
        "batch",
      );
      if (!certainlyNotAccepted.has(outcome.status)) return candidates.map(inDoubt);
      return takeBack(posting, token, candidates, "source-halted", undefined, "refused");
    }
  }
}

function tellUnknown({ drain }: Posting, begun: readonly Begun[], why: string): void {
  const { source, config } = drain;
  const dlqIds = begun.map(({ candidate }) => candidate.letter.dlqId);
  source.events.emit({ type: "outcome:unknown", drain: config.name, source: source.config.id, dlqIds, why });
  tellDeclared(drain, begun);
}

async function concludeItems(
  posting: Posting,
  token: Token,
  begun: readonly Begun[],
  items: Extract<BatchOutcome, { kind: "answered" }>["items"],
): Promise<readonly PublishResult[]> {
  const results: PublishResult[] = [];
  const accepted: Acceptance[] = [];
  const hits: Begun[] = [];
  const unknown: Begun[] = [];
  for (const [index, one] of begun.entries()) {
    const item = items[index];
    if (item === undefined || item.kind === "unknown") {
      unknown.push(one);
      results.push(inDoubt(one.candidate));
    } else if (item.kind === "refused") {
      await posting.refusals.refusedAlone(one.candidate, token, "refused");
    } else if (item.deduplicated && !hitProvesPublication(one.series)) {
      hits.push(one);
    } else {
      accepted.push({ one, as: item.messageId, deduplicated: item.deduplicated });
    }
  }
  if (unknown.length > 0) tellUnknown(posting, unknown, "an answer proves nothing about these items");
  // One without any proof about its items is no better than one that cannot be read.
  if (unknown.length < begun.length) {
    posting.drain.source.health.batchAnswered(accepted.length > 0 ? "some-accepted" : "none-accepted");
  }
  if (accepted.length > 0) {
    posting.refusals.accepted();
    await recordPublished(posting, accepted);
    for (const acceptance of accepted) {
      const { one, as, deduplicated } = acceptance;
      const published = { kind: "published", candidate: one.candidate, as, deduplicated } as const;
      results.push({ ...published, isOfNow: isOfNow(acceptance) });
    }
  }
  results.push(...(await afterEmptyHits(posting, token, hits)));
  return results;
}

/**
 * Hits that prove nothing. Where every earlier POST was refused, the next suffix settles it. Where one is unanswered, only time
 * does: it stays in doubt until its window has passed and the policy decides.
 */
async function afterEmptyHits(
  posting: Posting,
  token: Token,
  hits: readonly Begun[],
): Promise<readonly PublishResult[]> {
  const again = hits.filter(isRefusedOnly).map(({ candidate }) => candidate);
  const unclear = hits.filter((hit) => !isRefusedOnly(hit)).map(({ candidate }) => candidate);
  return [
    ...(unclear.length > 0
      ? await takeBack(posting, token, unclear, "outcome-unknown", undefined, "hit-after-refusals")
      : []),
    ...(again.length > 0
      ? await postAgain(posting, again, { token, outcome: "hit-after-refusals" }, retryAfterMs.length)
      : []),
  ];
}

function isRefusedOnly({ series }: Begun): boolean {
  return series.posts - 1 === series.refusals;
}

/**
 * A hit says that the service knows the id. It proves publication if no POST of the series was refused: then it is the answer to
 * an earlier POST that stayed unanswered, or the ledger has lost the history of the id and the hit is our own. Once a POST was
 * refused it proves nothing, because a refused item may have registered its id (nobody documents that it does not).
 */
function hitProvesPublication({ refusals }: Series): boolean {
  return refusals === 0;
}

async function bisect(
  posting: Posting,
  token: Token,
  candidates: readonly Candidate[],
  refusal: Extract<BatchOutcome, { kind: "refused" }>,
): Promise<readonly PublishResult[]> {
  const [only, second] = candidates;
  if (only === undefined) return [];
  if (second === undefined) {
    await posting.refusals.refusedAlone(only, token, refusal.bisectBy === "bytes" ? "too-large" : "refused");
    return [];
  }
  const results: PublishResult[] = [];
  for (const half of halves(candidates, refusal.bisectBy)) {
    results.push(
      ...(posting.refusals.everythingIsRefused() || posting.signal.aborted
        ? await takeBack(
            posting,
            token,
            half,
            posting.signal.aborted ? "stopping" : "source-halted",
            undefined,
            "refused",
          )
        : await postAgain(posting, half, { token, outcome: "refused" }, 0)),
    );
  }
  return results;
}

/** The next POST of records that this worker holds. When Redis is away they stay as they are in the ledger: in doubt. */
async function postAgain(
  posting: Posting,
  candidates: readonly Candidate[],
  previous: NonNullable<BeginOptions["previous"]>,
  retries: number,
): Promise<readonly PublishResult[]> {
  try {
    return await post(posting, candidates, previous, retries);
  } catch (error) {
    if (!isRedisAway(error)) throw error;
    return candidates.map(inDoubt);
  }
}

/** False when the work was stopped meanwhile. */
async function sleptFully({ drain, signal }: Posting, ms: number): Promise<boolean> {
  try {
    await drain.source.clock.sleep(ms, signal);
    return true;
  } catch {
    return false;
  }
}
