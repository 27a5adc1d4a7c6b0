import { type ReadSecret, toAddressSetting, toTokenSetting } from "../../config/read-secret.ts";
import { createHash } from "node:crypto";
import { proxyFor } from "../../egress/proxy-for.ts";
import { toLedgerLimits } from "../../config/settings/ledger-limits.ts";
import type { Settings } from "../../config/settings/settings.ts";
import { auditLimits, createRedisAudit } from "../store/audit/redis-audit.ts";
import { createRedisCopyBook } from "../store/copies/redis-copy-book.ts";
import { rememberCopies } from "../store/copies/remembered-copies.ts";
import { createRedisLaneBook } from "../store/lanes/redis-lane-book.ts";
import { createRedisLedger } from "../store/ledger/redis-ledger.ts";
import { createRedisPassBook } from "../store/passes/redis-pass-book.ts";
import { createRedisPauseBook } from "../store/pauses/redis-pause-book.ts";
import { createRedisSourceBook } from "../store/sources/redis-source-book.ts";
import { grantLifeMs } from "../contracts/ledger-limits.ts";
import { createRedisCapacity } from "../store/capacity/redis-capacity.ts";
import { createRedisCallShares } from "../store/call-shares/redis-call-shares.ts";
import { createRedisGuardBook } from "../store/guards/redis-guard-book.ts";
import { createRedisSourcePauseBook } from "../store/source-pauses/redis-source-pauses.ts";
import { toKeyedHash } from "../message/hmac.ts";
import { createItemCheck } from "../message/item-policy.ts";
import type { Archive } from "../contracts/archive.ts";
import type { ObserveAudit } from "../contracts/audit.ts";
import type { ArchiveConfig, DrainsDocument, SecretRef, SourceConfig } from "../contracts/drains-document.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { StatisticsStore } from "../contracts/index-statistics.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { createRoomCheck } from "../redis/check-fitness-and-room.ts";
import { proofAddressOf } from "../message/proof-callback-url.ts";
import { beginOnlyWithRoom } from "../source/begin-with-redis-room.ts";
import { createDeliveryWatch } from "../lanes/delivery-watch.ts";
import { createLanes } from "../lanes/lanes.ts";
import { createCallsInTurn } from "../source/calls-in-turn.ts";
import { createPausingService } from "../source/pausing-service.ts";
import { createServiceBrake } from "../source/service-brake.ts";
import { createServiceRetry } from "../source/service-retry.ts";
import { createSourceHealth } from "../source/source-health.ts";
import type { SourceRuntime, World } from "../runtime.ts";
import { createSourceMemory } from "../source-memory.ts";
import { watchLedger, type LostWrites } from "../source/detect-lost-writes.ts";
import { createLedgerTime } from "../source/ledger-time.ts";
import { createMessageService } from "../service/message-service.ts";
import { createGuards } from "../statistics/drain-guards.ts";
import { bindSource } from "../source/bind-to-account.ts";
import { createPausesOfDrain } from "../source/pauses-of-drain.ts";
import { createCallbackAuthenticator } from "../callbacks/authenticate-callback.ts";
import { createRecordFailures } from "../failures/record-failures.ts";
import { createRedisFailureBook } from "../store/failures/redis-failure-book.ts";
import { createRedisFailureMarks } from "../store/failures/redis-failure-marks.ts";
import type { Events } from "../contracts/events.ts";
import type { PlanBook } from "../contracts/plans.ts";
import type { Replicas } from "../contracts/replicas.ts";
import { createLineageKeys } from "../message/lineage.ts";
import { createLiveSecret } from "./live-secret.ts";
import type { ProcessMemory } from "./memory-budget.ts";
import type { Teardown } from "../../teardown.ts";

/** A binding outlives its last pass by days. So passes ask for it so often, and after a loss of Redis's writes. */
const boundForMs = 5 * 60_000;

/** Lets an observer wrap the ports of a process: every built part passes through these first. */
export interface Decorate {
  readonly source?: (built: SourceRuntime) => SourceRuntime;
  readonly archive?: (built: Archive, config: ArchiveConfig) => Archive;
}

/** A source with the parts that only its owner needs: to read its token, pause its drains, close its sockets. */
export type BuiltSource = ReturnType<typeof buildSource>;

export interface OpenParts {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: Events;
  readonly teardown: Teardown;
  /** Who acts, for the audit: a person's name; default: this process, as a daemon. */
  readonly by?: string;
  readonly onAudit?: ObserveAudit;
  /** For commands without a daemon: a guard takes a missing reading of an index itself. */
  readonly readsIndexes?: boolean;
  /** Called with secrets that are read, so that logs can leave them out. */
  readonly onSecret?: (value: string) => void;
  readonly decorate?: Decorate;
}

export interface ProcessParts extends OpenParts {
  readonly redis: RedisConnection;
  readonly replicas: Replicas;
  readonly plans: PlanBook;
  readonly world: World;
  readonly readSecret: ReadSecret;
  readonly lineage: { readonly key: string | undefined; readonly oldKeys: readonly string[] };
  readonly memory: ProcessMemory;
}

interface SourceParts extends ProcessParts {
  /** A source may live through several documents. */
  readonly documentNow: () => DrainsDocument;
  readonly readings: Pick<StatisticsStore, "readAll">;
}

/** Builds one source. Throws `settings-invalid` if its address or token is missing. */
export function buildSource(config: SourceConfig, parts: SourceParts) {
  const { settings, redis, world, teardown, document, documentNow } = parts;
  const { clock, events, identities } = world;
  const source = config.id;
  const baseUrl = config.url ?? settings.service.url;
  if (baseUrl === undefined) {
    throw new RedriverError(
      "settings-invalid",
      `source ${config.name} has no address: set sources.${config.name}.url in the drains document, or service.url (REDRIVER_SERVICE_URL)`,
    );
  }
  const toSecret = (ref: SecretRef, lack: string) =>
    createLiveSecret(ref, parts.readSecret, `source ${config.name} has no ${lack}`, (problem) =>
      events.emit({ type: "source:secret-refused", source, problem }),
    );
  const token = toSecret(config.token, "token");

  const { listTimeoutMs, batchTimeoutMs, deleteTimeoutMs, connectTimeoutMs } = settings.service;
  const { maxCallsInFlight, maxAnswerBytes, headerPrefix } = settings.service;
  const timeoutsMs = { list: listTimeoutMs, batch: batchTimeoutMs, delete: deleteTimeoutMs };
  const turns = createCallsInTurn({
    source,
    shares: createRedisCallShares(redis, source, identities.token(), maxCallsInFlight),
    maxInFlight: maxCallsInFlight,
    clock,
    events,
  });
  const called = createMessageService({
    baseUrl,
    token: token.value,
    settings: { address: toAddressSetting(config), token: toTokenSetting(config, settings) },
    timeoutsMs,
    connectTimeoutMs,
    proxy: proxyFor(new URL(baseUrl), settings.proxy),
    maxAnswerBytes,
    clock,
    onAnswer(answer) {
      turns.answered(answer);
      events.emit({ type: "service:answered", source, ...answer });
    },
    onLimit: turns.limited,
  });
  const sourcePauses = createRedisSourcePauseBook(redis, source);
  const { service, pauses } = createPausingService({
    source,
    service: called,
    takeTurn: turns.take,
    book: sourcePauses,
    timeoutsMs,
    clock,
    events,
  });
  const health = createSourceHealth(source, clock, events, pauses);
  const address = proofAddressOf(config);
  const keys = (config.callbacks?.keys ?? []).map((ref) => toSecret(ref, "signing key for its callbacks"));
  const close = (): Promise<void> => {
    turns.close();
    return called.close();
  };
  teardown.add(`service ${config.name}`, close);

  const book = createRedisSourceBook(redis, source, config.retentionMs);
  const passes = createRedisPassBook(redis, source);
  const failures = createRedisFailureBook(redis, source);
  const pauseBook = createRedisPauseBook(redis, source);
  const limits = toLedgerLimits(settings, document, config);
  const { riding, ...audit } = createRedisAudit(redis, source, auditLimits, parts.onAudit);
  const ledger = beginOnlyWithRoom(
    createRedisLedger(redis, source, limits, { epochSeed: identities.token }, riding),
    createRoomCheck(redis, clock),
  );
  let losses = 0;
  let bound: { readonly wanted: string; readonly at: number } | null = null;
  const ledgerTime = createLedgerTime(clock);
  const onLostWrites = async (lost: LostWrites, oldestAt: number | undefined): Promise<void> => {
    events.emit({ type: "ledger:lost-writes", source, ...lost });
    losses += 1;
    // Best effort: if Redis is away again, the pass rows are as lost as the ledger, and the next passes are full.
    for (const drain of documentNow().drains) {
      if (drain.source.id === source) passes.forceFull(drain.name).catch(() => undefined);
    }
    // The same: the next call finds the loss once more.
    await ledger.recordLoss(oldestAt).catch(() => undefined);
  };
  const watched = watchLedger(ledger, onLostWrites, ledgerTime.learn);
  const runtime: SourceRuntime = {
    ...world,
    config,
    service,
    takeBatchTurn: (signal) => turns.take("batch", signal),
    serviceRetry: createServiceRetry(config, service, health, clock, events),
    brake: createServiceBrake(config, called, clock, events),
    ledger: watched,
    readAt: () => ledgerTime.fromBeforeNow(watched),
    pausesOf: createPausesOfDrain(pauseBook, clock),
    audit,
    copies: rememberCopies(
      createRedisCopyBook(redis, source, {
        lifeMs: config.retentionMs,
        ...(document.archive && { archive: toArchiveName(document.archive.dir) }),
      }),
    ),
    capacity: createRedisCapacity(redis, identities),
    guards: createGuards({
      statistics: parts.readings,
      book: createRedisGuardBook(redis, source),
      clock,
      events,
      forceFull: passes.forceFull,
    }),
    lanes: createLanes({
      source,
      book: createRedisLaneBook(redis, source, grantLifeMs(limits), identities),
      clock,
      events,
      passes,
      audit,
      by: world.by,
    }),
    deliveryWatch: createDeliveryWatch(config, called, clock, events),
    passes,
    book,
    health,
    ...createSourceMemory(clock, { ...parts.memory, maxAnswerBytes }),
    newestOfPasses: new Map(),
    headerPrefix,
    publish: settings.publish,
    checkItem: createItemCheck(settings.publish, headerPrefix, baseUrl, address),
    lineageKeys: createLineageKeys(token, parts.lineage, source),
    failures,
    recordFailures: createRecordFailures(failures, clock.monotonic, () => losses),
    bind: async () => {
      const ids = documentNow().sources.map(({ id }) => id);
      const tokenHash = toKeyedHash("token", token.value());
      const wanted = JSON.stringify([tokenHash, losses, ids]);
      const at = clock.monotonic();
      if (bound?.wanted === wanted && at - bound.at < boundForMs) return;
      const urlHash = toKeyedHash("url", baseUrl);
      const verdict = await bindSource({ config, book, idsNow: () => ids, urlHash, tokenHash });
      bound = { wanted, at };
      if (verdict === "token-changed") events.emit({ type: "source:token-read", source, changed: true });
    },
  };
  return {
    runtime: parts.decorate?.source?.(runtime) ?? runtime,
    service,
    /** Past all pauses, for one look of a person. */
    direct: called,
    token,
    pauses: pauseBook,
    /** Until when the service asked for a pause. */
    limits: () => sourcePauses.limits(),
    failureMarks: createRedisFailureMarks(redis, source),
    baseUrl,
    callbacks: address === undefined ? null : createCallbackAuthenticator(address, keys, { clock, service }),
    /** How often this process has found that Redis lost writes of the source's ledger. */
    losses: () => losses,
    /** Ends its connections. Safe to call twice. */
    close,
  };
}

/** Short, and without the characters that have a meaning in keys. */
function toArchiveName(dir: string): string {
  return createHash("sha256").update(dir).digest("hex").slice(0, 12);
}
