/**
 * One batch of candidates: begin, POST, and what its answer proves.
 *
 *   begin ─► audit ─► POST ─┬─ answered ──► per position: published | refused | in doubt
 *                           ├─ refused ───► bisect, each half with its own begin, until one is refused alone (refusals.ts)
 *                           ├─ not sent ──► cooling
 *                           ├─ unknown ───► the same bodies under the same ids in rounds, in small batches if poison is about
 *                           │               (poison-share.ts); then in doubt, left to the sweep. If even the last answer is
 *                           │               unreadable, the source is halted
 *                           └─ misconfigured ─► the source is halted
 *
 * The intent is in the ledger and the audit before the POST, and the fact right after the answer. settle.ts deletes.
 */
import { encodeItem } from "../../message/encode-item.ts";
import { sleptFully } from "../../ports/clock.ts";
import { unlessRedisAway } from "../../ports/errors.ts";
import type { Token } from "../../ports/ids.ts";
import type { Series } from "../../ports/ledger-entries.ts";
import type { BeginOptions } from "../../ports/ledger.ts";
import type { BatchOutcome } from "../../ports/service.ts";
import { recordIntent, ofDrain } from "../record-act.ts";
import type { DrainRuntime } from "../runtime.ts";
import { toAuditRecord } from "./audit-record.ts";
import { halves } from "./publish/batches.ts";
import { held, inDoubt, notBegun, idsOf, type Begun, type Candidate, type PublishResult } from "./records.ts";
import {
  letCool,
  type PublishContext,
  type Unanswered,
  startSendDeadline,
} from "./publish/publish-context.ts";
import {
  isOfNow,
  recordPublished,
  reportDeclaredDoubles,
  type Acceptance,
} from "./publish/record-published.ts";
import { createRefusals } from "./publish/refusals.ts";

/**
 * Waits before the worker that holds the bodies tries again, under the same deduplication ids. If some POSTs of a round are
 * answered, the next wait is the shortest: then answers get lost, and the service works.
 */
const retryAfterMs = [1_000, 5_000, 15_000];
/** If one answer in five is lost, one POST in 15,000 is still unknown after this many rounds. */
const maxRetryRounds = 5;
/** Statuses that prove that nothing of the call was accepted; any other 4xx leaves its outcome unknown. */
const certainlyNotAccepted = new Set([401, 403, 404, 405, 415]);

/**
 * Publishes one batch and answers one result per candidate. `othersWait`: whether other records wait that were not refused yet.
 * Throws `redis-unavailable` only before anything was begun.
 */
export async function republish(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
  page: { readonly readAt: number; readonly othersWait: () => boolean },
  signal: AbortSignal,
): Promise<readonly PublishResult[]> {
  const context: PublishContext = {
    drain,
    pageReadAt: page.readAt,
    signal,
    refusals: createRefusals(drain, page.othersWait),
    unanswered: [],
    answered: 0,
  };
  const results = [...(await post(context, candidates, undefined))];
  results.push(...(await retryUnanswered(context)));
  return [...results, ...(await context.refusals.conclude())];
}

async function post(
  context: PublishContext,
  candidates: readonly Candidate[],
  previous: BeginOptions["previous"],
): Promise<readonly PublishResult[]> {
  const { source, config } = context.drain;
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
      pageReadAt: context.pageReadAt,
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
  source.poison.posted(begun.filter(({ candidate }) => isFirstPost(candidate, previous)).length);

  // The audit is written while the items are encoded, which takes about as long.
  const recorded = isRecorded(context, begun);
  const items = begun.map(({ candidate, series }) => encodeItem(candidate.toItem(series.suffix)).json);
  if (!(await recorded)) {
    const taken = begun.map(({ candidate }) => candidate);
    return [...results, ...(await letCool(context, token, taken, "not-sent", undefined))];
  }
  const outcome = await service.publish(items, mayBeSent, context.signal);
  return [...results, ...(await conclude(context, token, begun, outcome))];
}

function isFirstPost({ view }: Candidate, previous: BeginOptions["previous"]): boolean {
  return previous === undefined && view.state !== "open";
}

/** False if Redis is away. A message that is not in the audit is not sent. */
async function isRecorded({ drain }: PublishContext, begun: readonly Begun[]): Promise<boolean> {
  const record = () => recordIntent(drain.source, "republish", begun.map(toAuditRecord), ofDrain(drain));
  return (await unlessRedisAway(record, false)) !== false;
}

async function conclude(
  context: PublishContext,
  token: Token,
  begun: readonly Begun[],
  outcome: BatchOutcome,
): Promise<readonly PublishResult[]> {
  const { source } = context.drain;
  const candidates = begun.map(({ candidate }) => candidate);
  switch (outcome.kind) {
    case "answered":
      context.answered += 1;
      return concludeItems(context, token, begun, outcome.items);
    case "refused":
      context.answered += 1;
      source.health.batchAnswered("none-accepted");
      return bisect(context, token, candidates, outcome);
    case "not-sent": {
      const reason = outcome.why === "stopped" ? "stopping" : "not-sent";
      // A 429 was an answer: the service may have registered the ids.
      const counted = outcome.why === "rate-limited" ? "refused" : "not-sent";
      return letCool(context, token, candidates, reason, outcome.retryAt, counted);
    }
    case "unknown": {
      reportInDoubt(context, begun, outcome.error);
      context.unanswered.push({
        token,
        candidates,
        isUnreadable: outcome.unreadable === true,
        why: outcome.error,
      });
      return [];
    }
    case "misconfigured": {
      source.health.halt(
        outcome.status === 401 || outcome.status === 403 ? "unauthorised" : "source-misconfigured",
        outcome.error,
        "batch",
      );
      if (!certainlyNotAccepted.has(outcome.status)) return candidates.map(inDoubt);
      return letCool(context, token, candidates, "source-halted", undefined, "refused");
    }
  }
}

/** Posts the unanswered again in rounds, after one wait each. Those unanswered after the last round are in doubt, for the sweep. */
async function retryUnanswered(context: PublishContext): Promise<readonly PublishResult[]> {
  const { source } = context.drain;
  const results: PublishResult[] = [];
  let fruitless = 0;
  for (let round = 0; round < maxRetryRounds && context.unanswered.length > 0; round += 1) {
    const waitMs = retryAfterMs[fruitless];
    if (waitMs === undefined || !source.health.mayRetry()) break;
    // Jitter, so that workers whose batches failed together do not come back together.
    if (!(await sleptFully(source.clock, waitMs * (1 + source.clock.random() / 4), context.signal))) {
      return [...results, ...context.unanswered.flatMap(({ candidates }) => candidates.map(inDoubt))];
    }
    const answeredBefore = context.answered;
    results.push(...(await postAllAgain(context, context.unanswered.splice(0))));
    fruitless = context.answered > answeredBefore ? 0 : fruitless + 1;
  }
  return [...results, ...context.unanswered.flatMap((one) => leaveInDoubt(context, one))];
}

async function postAllAgain(
  context: PublishContext,
  unanswered: readonly Unanswered[],
): Promise<readonly PublishResult[]> {
  const { poison, publish } = context.drain.source;
  const maxCount = poison.batchSize(publish.maxItems);
  const results: PublishResult[] = [];
  for (const { token, candidates } of unanswered) {
    for (let start = 0; start < candidates.length; start += maxCount) {
      const part = candidates.slice(start, start + maxCount);
      results.push(...(await postAgain(context, part, { token, outcome: "unknown" })));
    }
  }
  return results;
}

/** A source whose last answer is unreadable is halted. */
function leaveInDoubt({ drain }: PublishContext, one: Unanswered): readonly PublishResult[] {
  if (one.isUnreadable) drain.source.health.halt("answer-unreadable", one.why, "batch");
  return one.candidates.map(inDoubt);
}

function reportInDoubt({ drain, refusals }: PublishContext, begun: readonly Begun[], why: string): void {
  refusals.inDoubt();
  const { source, config } = drain;
  const dlqIds = begun.map(({ candidate }) => candidate.letter.dlqId);
  source.events.emit({ type: "outcome:unknown", drain: config.name, source: source.config.id, dlqIds, why });
  reportDeclaredDoubles(drain, begun);
}

async function concludeItems(
  context: PublishContext,
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
      await context.refusals.refusedAlone(one.candidate, token, "refused", item.error);
    } else if (item.deduplicated && !hitProvesPublication(one.series)) {
      hits.push(one);
    } else {
      accepted.push({ one, as: item.messageId, deduplicated: item.deduplicated });
    }
  }
  if (unknown.length > 0) reportInDoubt(context, unknown, "an answer proves nothing about these items");
  const takesMessages = accepted.length + hits.length > 0;
  // An answer that proves nothing about any item is no better than an unreadable one.
  if (unknown.length < begun.length) {
    context.drain.source.health.batchAnswered(takesMessages ? "some-accepted" : "none-accepted");
  }
  if (takesMessages) context.refusals.accepted();
  if (accepted.length > 0) {
    await recordPublished(context, accepted);
    for (const acceptance of accepted) {
      const { one, as, deduplicated } = acceptance;
      const published = { kind: "published", candidate: one.candidate, as, deduplicated } as const;
      results.push({ ...published, isOfNow: isOfNow(acceptance) });
    }
  }
  if (hits.length > 0) {
    const unclear = hits.map(({ candidate }) => candidate);
    results.push(
      ...(await letCool(context, token, unclear, "outcome-unknown", undefined, "hit-after-refusals")),
    );
  }
  return results;
}

/**
 * A hit shows that the service knows the id. It proves publication if no POST of the series was refused. Then it answers an
 * earlier POST that stayed unanswered, or the ledger has lost the history of the id and the hit is our own.
 *
 * A refused item may have registered its id; nobody documents that it does not. So a hit proves nothing in a series with an
 * unanswered POST and a refusal. The record stays in doubt until its window has passed and the policy decides. A refusal with nothing
 * unanswered ends the series, so it makes no later hit worthless.
 */
function hitProvesPublication({ refusals }: Series): boolean {
  return refusals === 0;
}

async function bisect(
  context: PublishContext,
  token: Token,
  candidates: readonly Candidate[],
  refusal: Extract<BatchOutcome, { kind: "refused" }>,
): Promise<readonly PublishResult[]> {
  const [only, second] = candidates;
  if (only === undefined) return [];
  if (second === undefined) {
    context.drain.source.poison.found();
    const reason = refusal.bisectBy === "bytes" ? "too-large" : "refused";
    await context.refusals.refusedAlone(only, token, reason, refusal.error);
    return [];
  }
  context.drain.source.poison.refusedTogether(idsOf(candidates));
  const results: PublishResult[] = [];
  for (const half of halves(candidates, refusal.bisectBy)) {
    results.push(
      ...(context.refusals.everythingIsRefused() || context.signal.aborted
        ? await letCool(
            context,
            token,
            half,
            context.signal.aborted ? "stopping" : "source-halted",
            undefined,
            "refused",
          )
        : await postAgain(context, half, { token, outcome: "refused" })),
    );
  }
  return results;
}

/** Posts again records that this worker holds. If Redis is away, they stay in doubt in the ledger. */
async function postAgain(
  context: PublishContext,
  candidates: readonly Candidate[],
  previous: NonNullable<BeginOptions["previous"]>,
): Promise<readonly PublishResult[]> {
  return unlessRedisAway(() => post(context, candidates, previous), candidates.map(inDoubt));
}
