import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { LaneView } from "../../job/contracts/lanes.ts";
import type { Destination, QueueFacts } from "../../job/contracts/queue-facts.ts";
import { toHeldByRules, toLeftAlone } from "../read/outlook.ts";
import { sumOf } from "../read/totals.ts";
import type { RecordedFailure, StandingFailure } from "../../job/contracts/failures.ts";
import { toAnswerText } from "../read/answer-text.ts";
import type { NoticeItem } from "../../job/contracts/notices.ts";

/** What notices are made from: the facts of one source that status shows. Times are Unix ms. */
export type NoticeFacts = ReturnType<typeof toNoticeFacts>;
export type DrainNoticeFacts = NoticeFacts["drains"][number];

/** `why`: the answers that halted it. `nextAt`: its next probe, Unix ms by Redis; null: unknown. */
export type HaltedLane = Pick<LaneView, "lane" | "drain" | "origin" | "nextAt" | "why">;

interface Others {
  /** Kinds that a person does not want to hear of now. */
  readonly quiet: ReadonlySet<string>;
  /** Kinds that somebody works on. */
  readonly owned: ReadonlySet<string>;
  readonly halted: readonly HaltedLane[];
  /** False: there are more, so a lane that is not among them may be halted too. */
  readonly isHaltedWhole: boolean;
}

export function toNoticeFacts(
  { drains, sources }: Pick<QueueFacts, "drains" | "sources">,
  source: SourceId,
  others: Others,
  nearMs: ReadonlyMap<DrainName, number>,
) {
  const own = sources.find((one) => one.source === source);
  return {
    drains: drains
      .filter((drain) => drain.source === source)
      .map(({ drain, facts, destinations, retentionMs, stillCounting }) => {
        const sum = (name: "waiting" | "parked" | "published" | "failedAgain"): number =>
          sumOf(destinations, (one) => one[name]);
        const [waiting, parked] = [sum("waiting"), sum("parked")];
        const places: readonly Pick<Destination, "origin" | "waiting">[] = destinations;
        const oldestAt = facts?.oldestRecordAt ?? null;
        return {
          drain,
          /** In the DLQ and not parked. */
          waiting,
          /** Nothing has counted the drain yet: at least so many wait. */
          stillCounting,
          /** No pass has listed it to its end: more has arrived than its kinds say. A census does not count those. */
          isFirstListing: (facts?.lastSuccessAt ?? null) === null,
          /** Of those: held until somebody changes a rule. */
          heldByRules: toHeldByRules(facts, waiting),
          leftAlone: toLeftAlone(facts, waiting),
          /** More may wait than was counted, until a full pass has listed everything. */
          mayHaveSkipped: facts?.mayHaveSkipped ?? false,
          parked,
          /** Ever. */
          published: sum("published"),
          failedAgain: sum("failedAgain"),
          failures: facts?.failures ?? [],
          destinations: places,
          /** When its oldest record expires; null: it has none. */
          expiresAt: oldestAt === null || waiting + parked === 0 ? null : oldestAt + retentionMs,
          /** Its `beforeExpiry.within`, ms. */
          nearMs: nearMs.get(drain) ?? 0,
        };
      }),
    kinds: new Map((own?.failures ?? []).map((kind) => [kind.id, kind])),
    ...others,
    /** Near their expiry and without a copy, as of the last census. */
    uncopied: own?.census?.expiringUnarchived ?? 0,
  };
}

/** The kind that most of these are of, at one destination or at any. */
export function toMainFailure(
  failures: readonly StandingFailure[],
  { kinds }: Pick<NoticeFacts, "kinds">,
  countOf: (failure: StandingFailure) => number,
  origin?: string,
): Pick<NoticeItem, "destination" | "cause" | "failure"> {
  let main: RecordedFailure | undefined;
  let most = 0;
  for (const failure of failures) {
    const kind = kinds.get(failure.id);
    const count = countOf(failure);
    if (kind === undefined || count <= most || (origin !== undefined && kind.origin !== origin)) continue;
    main = kind;
    most = count;
  }
  return {
    destination: origin ?? main?.origin ?? null,
    cause: main === undefined ? null : toAnswerText(main),
    failure: main?.id ?? null,
  };
}
