/**
 * One batch of candidates: begin, POST, and what its answer proves.
 *
 *   begin, audit ─► POST ─┬─ answered ──► per position: published | refused | in doubt
 *                         ├─ refused ───► bisect, each half with its own begin, until one is refused alone
 *                         │               (refusals.ts)
 *                         ├─ not sent ──► cooling
 *                         ├─ in doubt ──► the same bodies under the same ids in rounds, in small batches if
 *                         │               poison is about (batch-size-under-poison.ts); then left to the
 *                         │               sweep. If even the last answer is unreadable, the source is halted
 *                         └─ misconfigured ─► the source is halted
 *
 * The intent is in the ledger and the audit before the POST, and the fact right after the answer. settle.ts
 * deletes.
 */
import { defined } from "../message/defined.ts";
import type { EncodedItem } from "../message/encode-item.ts";
import { sleptFully } from "../contracts/clock.ts";
import { admitAgain } from "../lanes/admit.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import type { Token } from "../contracts/ids.ts";
import type { Series } from "../contracts/ledger-entries.ts";
import type { BeginOptions } from "../contracts/ledger.ts";
import type { BatchOutcome } from "../contracts/service.ts";
import type { DrainRuntime } from "../runtime.ts";
import { toPublishRecord } from "./audit-record.ts";
import { begin } from "./begin-in-ledger.ts";
import { halves } from "./publish/batches.ts";
import { letCool } from "./publish/let-cool.ts";
import type { PublishContext } from "./publish/publish-context.ts";
import { renewGrants } from "./publish/renew-grants.ts";
import { startSendDeadline } from "./publish/send-deadline.ts";
import {
  isOfNow,
  recordPublished,
  reportDeclaredDoubles,
  type Acceptance,
} from "./publish/record-published.ts";
import { createRefusals } from "./publish/refusals.ts";
import { whyNotNow } from "./publish/why-not-now.ts";
import { idsOf, isReconciling, type Begun, type Candidate, type Page } from "./records.ts";
import { held, inDoubt, type PublishResult } from "./results.ts";
import { encodedOf } from "./publish/canary-variant.ts";

/**
 * Waits before the worker that holds the bodies tries again, under the same deduplication ids. If some POSTs
 * of a round are answered, the next wait is the shortest: then answers get lost, and the service works.
 */
const retryAfterMs = [1_000, 5_000, 15_000];
/** If one answer in five is lost, one POST in 15,000 is still in doubt after this many rounds. */
const maxRetryRounds = 5;
/** Statuses that prove that nothing of the call was accepted. Any other 4xx leaves it in doubt. */
const certainlyNotAccepted = new Set([401, 403, 404, 405, 415]);

/** This few records alone in their window may all be refused without a sign that the service refuses all. */
const fewRecords = 50;

/** The page of a batch. */
export interface BatchPage extends Pick<Page, "readAt" | "isAlone"> {
  /** The number of its candidates. */
  readonly candidates: number;
  /** The grants of its canaries end then, by clock.monotonic(). */
  readonly grantsEndAt: number;
}

/**
 * Publishes one batch and answers one result per candidate. It waits for its turn first: nothing that is
 * begun does. Throws `redis-unavailable` only before anything was begun.
 */
export async function republish(
  drain: DrainRuntime,
  batch: readonly Candidate[],
  page: BatchPage,
  signal: AbortSignal,
): Promise<readonly PublishResult[]> {
  const { source } = drain;
  const waitsSince = source.clock.monotonic();
  const endTurn = await source.takeBatchTurn(signal);
  try {
    const { free, held: heldByLane } = (await admitAgain(drain, batch, waitsSince)) ?? {
      free: batch,
      held: [],
    };
    const isLate = source.clock.monotonic() > page.grantsEndAt;
    const late = free.filter(({ sendAs }) => isLate && sendAs !== null);
    const timely = late.length === 0 ? free : free.filter(({ sendAs }) => sendAs === null);
    const results: PublishResult[] = [...heldByLane, ...late.map((one) => held(one, "lane-watched"))];
    const [first] = timely;
    if (first === undefined) return results;
    // A batch reconciles as a whole or not at all (batches.ts).
    const reason = whyNotNow(drain, signal, first);
    if (reason !== null) return [...results, ...timely.map((one) => held(one, reason))];
    const { granted, held: heldByRate } = await renewGrants(drain, timely);
    results.push(...heldByRate);
    if (granted.length === 0) return results;
    const context = toContext(drain, first, page, signal);
    return await source.health.publishing(async () => {
      results.push(...(await post(context, granted, endTurn)));
      results.push(...(await retryInDoubt(context)));
      return [...results, ...(await context.refusals.conclude())];
    });
  } finally {
    endTurn();
  }
}

function toContext(
  drain: DrainRuntime,
  first: Candidate,
  page: BatchPage,
  signal: AbortSignal,
): PublishContext {
  const { poison } = drain.source;
  // Pages of large messages are small. Records in doubt were posted before, so they do not show whether
  // others wait.
  const areFewAlone = page.isAlone === true && page.candidates <= fewRecords;
  const othersWait = (): boolean =>
    !areFewAlone && poison.postedLately() > fewRecords && !isReconciling(first);
  const refusals = createRefusals(drain, othersWait);
  return { drain, pageReadAt: page.readAt, signal, refusals, inDoubt: [], answered: 0 };
}

async function post(
  context: PublishContext,
  candidates: readonly Candidate[],
  endTurn: () => void,
  previous?: BeginOptions["previous"],
): Promise<readonly PublishResult[]> {
  const { source, config } = context.drain;
  const mayBeSent = startSendDeadline(source.clock, source.ledger.limits.sendByMs);
  const token = source.identities.token();
  const { begun, results, recordBegun } = await begin(context.drain, candidates, {
    attemptOf: ({ lineage }) => lineage.attempt,
    targetOf: ({ target }) => target,
    toAuditRecord: toPublishRecord,
    token,
    act: "republish",
    pageReadAt: context.pageReadAt,
    pastHorizon: config.unknownOutcome === "republish" ? "new-series" : "leave",
    ...defined({ previous }),
  });
  if (begun.length === 0) return results;
  const isFirstPost = ({ candidate: { view } }: Begun): boolean =>
    previous === undefined && view.state !== "open";
  source.poison.posted(begun.filter(isFirstPost).length);

  let items: readonly EncodedItem[];
  try {
    // A message that is not in the audit is not sent.
    const isAudited = (await unlessRedisAway(recordBegun, false)) !== false;
    if (!isAudited) return [...results, ...(await letCool(context, token, begun, "not-sent"))];
    items = begun.map(({ candidate, series }) => encodedOf(candidate, series.suffix));
  } catch (error) {
    // One of them breaks the batch. The others begin again at once.
    await letCool(context, token, begun, "not-sent", { until: source.clock.now() });
    throw error;
  }
  const outcome = await source.service.publish(items, mayBeSent, context.signal);
  endTurn();
  const concluded =
    outcome.kind === "answered"
      ? await concludeItems(context, token, begun, outcome.items)
      : await concludeWhole(context, token, begun, outcome);
  return [...results, ...concluded];
}

async function concludeWhole(
  context: PublishContext,
  token: Token,
  begun: readonly Begun[],
  outcome: Exclude<BatchOutcome, { kind: "answered" }>,
): Promise<readonly PublishResult[]> {
  const { health } = context.drain.source;
  switch (outcome.kind) {
    case "refused":
      context.answered += 1;
      health.batchAnswered("none-accepted");
      return bisect(context, token, begun, outcome);
    case "not-sent": {
      const reason = outcome.why === "stopped" ? "stopping" : "not-sent";
      // A 429 was an answer: the service may have registered the ids.
      const counted = outcome.why === "rate-limited" ? "refused" : "not-sent";
      return letCool(context, token, begun, reason, { until: outcome.retryAt, outcome: counted });
    }
    case "in-doubt": {
      const { error: why, unreadable: isUnreadable = false } = outcome;
      reportInDoubt(context, begun, why);
      context.inDoubt.push({ token, candidates: begun.map(({ candidate }) => candidate), isUnreadable, why });
      return [];
    }
    case "misconfigured": {
      const isUnauthorised = outcome.status === 401 || outcome.status === 403;
      health.halt(isUnauthorised ? "unauthorised" : "source-misconfigured", outcome.error, "batch");
      if (!certainlyNotAccepted.has(outcome.status)) return begun.map(({ candidate }) => inDoubt(candidate));
      return letCool(context, token, begun, "source-halted", { outcome: "refused" });
    }
  }
}

/** Posts the POSTs in doubt again in rounds, after one wait each. After the last round the sweep has them. */
async function retryInDoubt(context: PublishContext): Promise<readonly PublishResult[]> {
  const { health, clock } = context.drain.source;
  const results: PublishResult[] = [];
  let fruitless = 0;
  for (let round = 0; round < maxRetryRounds && context.inDoubt.length > 0; round += 1) {
    const waitMs = retryAfterMs[fruitless];
    if (waitMs === undefined || !health.takeRetry()) break;
    // Jitter, so that workers whose batches failed together do not come back together.
    if (!(await sleptFully(clock, waitMs * (1 + clock.random() / 4), context.signal))) {
      return [...results, ...context.inDoubt.flatMap(({ candidates }) => candidates.map(inDoubt))];
    }
    const answeredBefore = context.answered;
    results.push(...(await postAllAgain(context)));
    fruitless = context.answered > answeredBefore ? 0 : fruitless + 1;
  }
  for (const { isUnreadable, why } of context.inDoubt) {
    if (isUnreadable) health.halt("answer-unreadable", why, "batch");
  }
  return [...results, ...context.inDoubt.flatMap(({ candidates }) => candidates.map(inDoubt))];
}

async function postAllAgain(context: PublishContext): Promise<readonly PublishResult[]> {
  const { poison, publish } = context.drain.source;
  const maxCount = poison.batchSize(publish.maxItems);
  const results: PublishResult[] = [];
  for (const { token, candidates } of context.inDoubt.splice(0)) {
    for (let start = 0; start < candidates.length; start += maxCount) {
      const part = candidates.slice(start, start + maxCount);
      results.push(...(await postAgain(context, part, { token, outcome: "unknown" })));
    }
  }
  return results;
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
  context.answered += 1;
  const accepted: Acceptance[] = [];
  const hits: Begun[] = [];
  const unproven: Begun[] = [];
  for (const [index, one] of begun.entries()) {
    const item = items[index];
    if (item === undefined || item.kind === "in-doubt") {
      unproven.push(one);
    } else if (item.kind === "refused") {
      await context.refusals.refusedAlone(one.candidate, token, "refused", item.error);
    } else if (item.deduplicated && !hitProvesPublication(one.series)) {
      hits.push(one);
    } else {
      accepted.push({ one, as: item.messageId, deduplicated: item.deduplicated });
    }
  }
  if (unproven.length > 0) reportInDoubt(context, unproven, "an answer proves nothing about these items");
  const takesMessages = accepted.length + hits.length > 0;
  // An answer that proves nothing about any item is no better than an unreadable one.
  if (unproven.length < begun.length) {
    context.drain.source.health.batchAnswered(takesMessages ? "some-accepted" : "none-accepted");
  }
  if (takesMessages) context.refusals.accepted();
  const results: PublishResult[] = unproven.map(({ candidate }) => inDoubt(candidate));
  if (accepted.length > 0) {
    const { isDeleteAudited } = await recordPublished(context, accepted);
    for (const acceptance of accepted) {
      const { deduplicated, one } = acceptance;
      const { candidate } = one;
      const ofNow = isOfNow(acceptance);
      results.push({ kind: "published", candidate, deduplicated, isOfNow: ofNow, isDeleteAudited });
    }
  }
  if (hits.length === 0) return results;
  const outcome = "hit-after-refusals";
  return [...results, ...(await letCool(context, token, hits, "outcome-unknown", { outcome }))];
}

/**
 * A hit shows that the service knows the id. It proves publication if no POST of the series was refused. Then
 * it answers an earlier POST in doubt, or the ledger has lost the history of the id and the hit is our own.
 *
 * A refused item may have registered its id; nobody documents that it does not. So a hit proves nothing in a
 * series with a POST in doubt and a refusal. The record stays in doubt until its window has passed and the
 * policy decides. A refusal with nothing in doubt ends the series, so it makes no later hit worthless.
 */
function hitProvesPublication({ refusals }: Series): boolean {
  return refusals === 0;
}

async function bisect(
  context: PublishContext,
  token: Token,
  begun: readonly Begun[],
  { bisectBy, error }: Extract<BatchOutcome, { kind: "refused" }>,
): Promise<readonly PublishResult[]> {
  const { refusals, signal, drain } = context;
  const { poison } = drain.source;
  const [only, second] = begun;
  if (only === undefined) return [];
  if (second === undefined) {
    poison.found();
    await refusals.refusedAlone(only.candidate, token, bisectBy === "bytes" ? "too-large" : "refused", error);
    return [];
  }
  poison.refusedTogether(idsOf(begun.map(({ candidate }) => candidate)));
  const results: PublishResult[] = [];
  for (const half of halves(begun, bisectBy)) {
    if (refusals.everythingIsRefused() || signal.aborted) {
      const reason = signal.aborted ? "stopping" : "source-halted";
      results.push(...(await letCool(context, token, half, reason, { outcome: "refused" })));
    } else {
      const candidates = half.map(({ candidate }) => candidate);
      results.push(...(await postAgain(context, candidates, { token, outcome: "refused" })));
    }
  }
  return results;
}

/** Posts again records that this worker holds. If Redis is away, they stay in doubt in the ledger. */
async function postAgain(
  context: PublishContext,
  candidates: readonly Candidate[],
  previous: NonNullable<BeginOptions["previous"]>,
): Promise<readonly PublishResult[]> {
  const endTurn = await context.drain.source.takeBatchTurn(context.signal);
  const posted = unlessRedisAway(() => post(context, candidates, endTurn, previous), candidates.map(inDoubt));
  return posted.finally(endTurn);
}
