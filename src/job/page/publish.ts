/**
 * One batch of letters: begin, POST, and what its answer proves.
 *
 *   begin, audit ─► POST ─┬─ answered ──► per position: published | refused | in doubt
 *                         ├─ refused ───► bisect, each half with its own begin, until one is refused alone
 *                         │               (refusals.ts)
 *                         ├─ not sent ──► cooling
 *                         ├─ in doubt ──► the same bodies under the same ids in rounds, in small batches if
 *                         │               poison is about (batch-size-under-poison.ts), and in halves if only
 *                         │               others are answered (divide); then left to the sweep. If even the
 *                         │               last answer is unreadable, the source is halted
 *                         └─ misconfigured ─► the source is halted
 *
 * The intent is in the ledger and the audit before the POST, and the fact right after the answer.
 */
import { defined } from "../message/defined.ts";
import { encodeItem, inSeries, type EncodedItem } from "../message/encode-item.ts";
import { sleptFully } from "../contracts/clock.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import type { Token } from "../contracts/ids.ts";
import type { Series } from "../contracts/ledger-entries.ts";
import type { BeginOptions } from "../contracts/ledger.ts";
import type { BatchOutcome } from "../contracts/service.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { RetryOutcome } from "../source/service-retry.ts";
import { begin } from "./begin.ts";
import { isPaused, leaveInDoubt } from "./fate.ts";
import { askGates } from "./gates.ts";
import { idsOf, isByService, isReconciling, needsNoDelete } from "./letter.ts";
import type { Begun, Letter, Proof } from "./letter.ts";
import { divide, halves, unanswered } from "./publish/batches.ts";
import { itemOf, type Sendable } from "./publish/canary-variant.ts";
import { letCool } from "./publish/let-cool.ts";
import type { PublishContext } from "./publish/publish-context.ts";
import { isOfNow, recordPublished, reportDeclaredDoubles } from "./publish/record-published.ts";
import { createRefusals } from "./publish/refusals.ts";
import { startSendDeadline } from "./publish/send-deadline.ts";

/** After a round with some answers the next wait is the shortest: then answers get lost, and the service works. */
const retryAfterMs = [1_000, 5_000, 15_000];
/** A batch of 100 that a message keeps in doubt: once more whole, one ahead, then seven times in halves. */
const maxRetryRounds = 9;
/** Left to the sweep after so many POSTs alone. If one answer in five is lost, that is one message in 15,000. */
const maxTimesAlone = 6;
/** Statuses that prove that nothing of the call was accepted. Any other 4xx leaves it in doubt. */
const certainlyNotAccepted = new Set([401, 403, 404, 405, 415]);

/** So few records alone in their window may all be refused without a sign that the service refuses all. */
const fewRecords = 50;

export interface BatchPage {
  /** Redis time from before the first page's GET. */
  readonly readAt: number;
  readonly due: number;
  readonly isAlone: boolean;
}

/**
 * Publishes one batch in its turn: nothing waits between its begin and its POST, and a retry begins again. Each letter
 * gets its fate, but for those that a rate has no room for now. Throws `redis-unavailable` only before any is begun.
 */
export async function publish(
  drain: DrainRuntime,
  batch: readonly Letter[],
  page: BatchPage,
  signal: AbortSignal,
): Promise<void> {
  const endTurn = await drain.source.takeBatchTurn(signal);
  try {
    const free = await askGates(drain, batch, signal);
    const [first] = free;
    if (first === undefined) return;
    const context = toContext(drain, first, page, signal);
    await drain.source.health.publishing(async () => {
      await post(context, free, endTurn);
      await retryInDoubt(context);
      await context.refusals.conclude();
    });
  } finally {
    endTurn();
  }
}

function toContext(drain: DrainRuntime, first: Letter, page: BatchPage, signal: AbortSignal): PublishContext {
  const { poison } = drain.source;
  // Pages of large messages are small. Letters in doubt were posted before: they do not show that others wait.
  const areFewAlone = page.isAlone && page.due <= fewRecords;
  const othersWait = (): boolean =>
    !areFewAlone && poison.postedLately() > fewRecords && !isReconciling(first);
  const refusals = createRefusals(drain, othersWait);
  return { drain, pageReadAt: page.readAt, signal, refusals, inDoubt: [], answered: 0 };
}

async function post(
  context: PublishContext,
  letters: readonly Letter[],
  endTurn: () => void,
  previous?: BeginOptions["previous"],
): Promise<void> {
  const { source, config, fromArchive } = context.drain;
  const mayBeSent = startSendDeadline(source.clock, source.ledger.limits.sendByMs);
  const token = source.identities.token();
  const isRetry = letters.some(isByService);
  const { begun, recordBegun } = await begin(context.drain, letters, {
    act: "republish",
    ...(isRetry ? { via: "service" as const } : {}),
    token,
    pageReadAt: context.pageReadAt,
    pastHorizon: config.unknownOutcome === "republish" ? "new-series" : "leave",
    ...defined({ previous, archivedForMs: fromArchive?.keptForMs }),
  });
  if (begun.length === 0) return;
  if (previous === undefined) {
    let fresh = 0;
    for (const { letter } of begun) if (letter.view.state !== "open") fresh += 1;
    source.poison.posted(fresh);
  }

  const items: EncodedItem[] = [];
  try {
    // A message that is not in the audit is not sent.
    const isAudited = (await unlessRedisAway(recordBegun, false)) !== false;
    if (!isAudited) return await letCool(context, token, begun, "not-sent");
    if (!isRetry) for (const { letter, series } of begun) items.push(encodedOf(letter, series.suffix));
  } catch (error) {
    // One of them breaks the batch. The others begin again at once.
    await letCool(context, token, begun, "not-sent", { until: source.clock.now() });
    for (const { letter } of begun) letter.fate = null;
    throw error;
  }
  if (isRetry) {
    // Each call takes its own.
    endTurn();
    const calls = begun.map(({ letter, series: { posts, refusals } }) =>
      source.serviceRetry.retry(posts - refusals > 1, letter.dlqId, mayBeSent, context.signal),
    );
    return concludeItems(context, token, begun, await Promise.all(calls));
  }
  const outcome = await source.service.publish(items, mayBeSent, context.signal);
  endTurn();
  if (outcome.kind === "answered") await concludeItems(context, token, begun, outcome.items);
  else await concludeWhole(context, token, begun, outcome);
}

/** A canary's headers are its own; any other letter's bytes are as they were decided. */
export function encodedOf(letter: Sendable, suffix: number): EncodedItem {
  if (letter.sendAs === null) return inSeries(letter.due.json, suffix);
  return encodeItem(itemOf(letter, suffix)).json;
}

async function concludeWhole(
  context: PublishContext,
  token: Token,
  begun: readonly Begun[],
  outcome: Exclude<BatchOutcome, { kind: "answered" }>,
): Promise<void> {
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
      const [{ letter, series }] = begun as [Begun];
      const times = unanswered(series);
      if (begun.length === 1 && times >= maxTimesAlone && health.answersBatches()) leaveInDoubt(letter);
      else context.inDoubt.push({ token, letters: lettersOf(begun), times, isUnreadable, why });
      return;
    }
    case "misconfigured": {
      const code = [401, 403].includes(outcome.status) ? "unauthorised" : "source-misconfigured";
      health.halt(code, outcome.error, "batch");
      if (certainlyNotAccepted.has(outcome.status)) {
        return letCool(context, token, begun, "source-halted", { outcome: "refused" });
      }
      for (const { letter } of begun) leaveInDoubt(letter);
    }
  }
}

async function retryInDoubt(context: PublishContext): Promise<void> {
  const { health, clock } = context.drain.source;
  let fruitless = 0;
  let mayGoOn = true;
  for (let round = 0; round < maxRetryRounds && context.inDoubt.length > 0; round += 1) {
    const waitMs = retryAfterMs[fruitless];
    if (waitMs === undefined || !health.takeRetry()) break;
    // Jitter, so that workers whose batches failed together do not come back together.
    mayGoOn = await sleptFully(clock, waitMs * (1 + clock.random() / 4), context.signal);
    if (!mayGoOn) break;
    const answeredBefore = context.answered;
    await postAllAgain(context);
    fruitless = context.answered > answeredBefore ? 0 : fruitless + 1;
  }
  for (const { letters, isUnreadable, why } of context.inDoubt) {
    if (isUnreadable && mayGoOn && context.answered === 0) health.halt("answer-unreadable", why, "batch");
    for (const letter of letters) leaveInDoubt(letter);
  }
}

async function postAllAgain(context: PublishContext): Promise<void> {
  const { poison, publish, health } = context.drain.source;
  const maxCount = poison.batchSize(publish.maxItems);
  for (const { token, letters, times } of context.inDoubt.splice(0)) {
    for (const some of divide(health, letters, times)) {
      for (let start = 0; start < some.length; start += maxCount) {
        const part = some.slice(start, start + maxCount);
        await postAgain(context, part, { token, outcome: "unknown" });
      }
    }
  }
}

function reportInDoubt({ drain, refusals }: PublishContext, begun: readonly Begun[], why: string): void {
  refusals.inDoubt();
  const { source, config } = drain;
  const dlqIds = idsOf(lettersOf(begun));
  source.events.emit({ type: "outcome:unknown", drain: config.name, source: source.config.id, dlqIds, why });
  reportDeclaredDoubles(drain, begun);
}

async function concludeItems(
  context: PublishContext,
  token: Token,
  begun: readonly Begun[],
  items: readonly RetryOutcome[],
): Promise<void> {
  context.answered += 1;
  const proofs: Proof[] = [];
  const hits: Begun[] = [];
  const unproven: Begun[] = [];
  let notSent = 0;
  for (let index = 0; index < begun.length; index += 1) {
    const one = begun[index]!;
    const item = items[index];
    if (item === undefined || item.kind === "in-doubt") {
      unproven.push(one);
    } else if (item.kind === "refused") {
      await context.refusals.refusedAlone(one.letter, token, "refused", item.error);
    } else if (item.kind === "not-sent") {
      await letCool(context, token, [one], item.reason, { until: item.until });
      notSent += 1;
    } else if (item.deduplicated && !hitProvesPublication(one.series)) {
      hits.push(one);
    } else {
      const { messageId: as, deduplicated } = item;
      proofs.push({ begun: one, as, deduplicated, lineage: one.letter.lineage });
    }
  }
  if (unproven.length > 0) reportInDoubt(context, unproven, "an answer proves nothing about these items");
  const takesMessages = proofs.length + hits.length > 0;
  // An answer that proves nothing about any item is no better than an unreadable one.
  if (unproven.length + notSent < begun.length) {
    context.drain.source.health.batchAnswered(takesMessages ? "some-accepted" : "none-accepted");
  }
  if (takesMessages) context.refusals.accepted();
  for (const { letter } of unproven) leaveInDoubt(letter);
  if (proofs.length > 0) {
    const { isDeleteAudited } = await recordPublished(context, proofs);
    for (const proof of proofs) {
      const { deduplicated } = proof;
      const { letter } = proof.begun;
      const isGone = needsNoDelete(letter);
      letter.fate = { kind: "published", deduplicated, isOfNow: isOfNow(proof), isDeleteAudited, isGone };
    }
  }
  if (hits.length > 0) {
    await letCool(context, token, hits, "outcome-unknown", { outcome: "hit-after-refusals" });
  }
}

/**
 * A hit shows that the service knows the id. It proves publication if no POST of the series was refused. Then it
 * answers an earlier POST in doubt, or the hit is our own and the ledger has lost the history of the id.
 *
 * A refused item may have registered its id; nobody documents that it does not. So the record stays in doubt until its
 * window has passed. A refusal with nothing in doubt ends the series, so it makes no later hit worthless.
 */
function hitProvesPublication({ refusals }: Series): boolean {
  return refusals === 0;
}

async function bisect(
  context: PublishContext,
  token: Token,
  begun: readonly Begun[],
  { bisectBy, error }: Extract<BatchOutcome, { kind: "refused" }>,
): Promise<void> {
  const { refusals, signal, drain } = context;
  const { poison, clock } = drain.source;
  const [only, second] = begun;
  if (only === undefined) return;
  if (second === undefined) {
    poison.found();
    await refusals.refusedAlone(only.letter, token, bisectBy === "bytes" ? "too-large" : "refused", error);
    return;
  }
  poison.refusedTogether(idsOf(lettersOf(begun)));
  // Halves have later ids, which heal nothing that Redis has lost. The next page decides these by the policy.
  if (begun.some(({ letter, series }) => letter.restsOnFirstId && series.posts - series.refusals === 1)) {
    return letCool(context, token, begun, "cooling", { until: clock.now(), outcome: "refused" });
  }
  for (const half of halves(begun, bisectBy)) {
    if (refusals.everythingIsRefused() || signal.aborted) {
      const reason = signal.aborted ? "stopping" : "source-halted";
      await letCool(context, token, half, reason, { outcome: "refused" });
    } else {
      await postAgain(context, lettersOf(half), { token, outcome: "refused" });
      // Their refusal is counted, and they keep the name of what paused them.
      const paused = half.filter(({ letter }) => isPaused(letter));
      if (paused.length > 0) {
        await letCool(context, token, paused, "paused", { until: clock.now(), outcome: "refused" });
      }
    }
  }
}

/** Posts again letters that this worker holds. If Redis is away, they stay in doubt in the ledger. */
async function postAgain(
  context: PublishContext,
  letters: readonly Letter[],
  previous: NonNullable<BeginOptions["previous"]>,
): Promise<void> {
  const endTurn = await context.drain.source.takeBatchTurn(context.signal);
  try {
    if ((await unlessRedisAway(() => post(context, letters, endTurn, previous), false)) !== false) return;
    for (const letter of letters) if (letter.fate === null) leaveInDoubt(letter);
  } finally {
    endTurn();
  }
}

function lettersOf(begun: readonly Begun[]): Letter[] {
  return begun.map(({ letter }) => letter);
}
