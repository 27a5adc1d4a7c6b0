import { isDeepStrictEqual } from "node:util";
import type { HostPause, PauseRecord } from "../../../job/contracts/pauses.ts";
import type { Expiring, ExpiringGroup, ExpiringOfDrain } from "../../../job/contracts/queue-facts.ts";
import type { DrainFacts } from "../../../job/contracts/passes.ts";
import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import { toFailureOfName } from "../../../job/message/destination-names.ts";
import { unreadableKind } from "../../../job/message/failure-kind.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { sumOf } from "../../read/totals.ts";
import { toCommandLine, toReasonWords } from "../command-line.ts";
import { insteadOfRelease, isByRule, isOfRecord } from "../parked/next-step.ts";
import { number } from "../phrases.ts";

export const saveActs = ["release", "resume", "plan", "probe", "rule", "drain"] as const;

/** What a person does so that they are sent. `command`: null for what is written in the drains document. */
export interface Save {
  readonly act: (typeof saveActs)[number];
  readonly command: string | null;
  /** Of what a release alone would only park again: what comes first. */
  readonly advice?: string;
}

/** What is known of a drain of a group; all that holds its destination and its kind. */
export interface HeldBy {
  /** Null: not known. */
  readonly mode: DrainConfig["mode"] | null;
  readonly paused: PauseRecord | { readonly by: "document" } | null;
  readonly lane: LaneStanding | null;
  readonly hostPause: HostPause | null;
  readonly hostPauses: readonly PauseRecord[];
  readonly reasons: DrainFacts["reasons"] | undefined;
  /** The drain has a rule `via: service`. */
  readonly mayUseService: boolean;
}

export type SavedGroup = ReturnType<typeof toSaved>;

/** Sums sources: null if one is not counted, as of the oldest count. Pure. */
export function sumExpiring<Group extends SavedGroup>(
  sources: readonly (Omit<Expiring, "groups"> & { readonly groups: readonly Group[] })[],
) {
  const counts = sources.map(({ count }) => count);
  const isCounted = counts.every((count) => count !== null);
  const times = sources.flatMap(({ asOf }) => asOf ?? []);
  const groups = sources
    .flatMap((source) => source.groups)
    .toSorted((one, other) => one.earliestAt - other.earliestAt || other.count - one.count);
  const [first] = groups.filter(({ unsent, isUnsentExact }) => unsent > 0 || !isUnsentExact);
  return {
    count: isCounted ? counts.reduce((sum, count) => sum + count, 0) : null,
    atLeast: sumOf(sources, ({ atLeast }) => atLeast),
    by: Math.max(0, ...sources.map(({ by }) => by)),
    asOf: isCounted && times.length > 0 ? Math.min(...times) : null,
    /** What nothing but a person's act sends. `earliestAt`: null if others of its kind may be first. */
    unsent: {
      atLeast: sumOf(groups, ({ unsent }) => unsent),
      isExact: isCounted && groups.every((one) => one.isUnsentExact),
      earliestAt: first !== undefined && first.unsent === first.count ? first.earliestAt : null,
    },
    groups,
  };
}

export function toSaved(
  { drains, ...group }: ExpiringGroup,
  heldByOf: (drain: ExpiringOfDrain["drain"]) => HeldBy,
) {
  const parts = drains.map((one) => toPart(group, one, drains.length === 1, heldByOf(one.drain)));
  const names: readonly ExpiringOfDrain["drain"][] = drains.map(({ drain }) => drain);
  // One drain that lists all of them is enough: what its rules send, or would, is sent by a rule.
  const isRuled = parts.some(({ saves: own, least }, at) => {
    const isByAct = own.length > 0 && own.every(({ act }) => act !== "rule");
    return least >= group.count || (isByAct && (drains[at]?.count ?? 0) >= group.count);
  });
  const all = parts.flatMap((part) => part.saves).filter(({ act }) => !isRuled || act !== "rule");
  const saves: readonly Save[] = all.filter(
    (one, at) => at === all.findIndex((same) => isDeepStrictEqual(same, one)),
  );
  const byDocument: readonly Save[] = [{ act: "drain", command: null }];
  const sentAtMost = sumOf(parts, ({ most }) => most);
  const sentAtLeast = Math.max(0, ...parts.map(({ least }) => least));
  const unsent = Math.max(0, group.count - sentAtMost);
  return {
    ...group,
    drains: names,
    /** Of `count` at least so many are sent by nothing but a person's act. */
    unsent,
    isUnsentExact: unsent === group.count - sentAtLeast,
    saves: drains.length === 0 ? byDocument : saves,
  };
}

const isStaying = (decision: string): boolean => /^(?:hold|park) /.test(decision);

/** Only what sends them. `least`, `most`: how many of them the drain sends by itself. */
function toPart(
  { failure, origin }: Pick<ExpiringGroup, "failure" | "origin">,
  { drain, count, waiting, parked, ruled }: ExpiringOfDrain,
  isOnly: boolean,
  { mode, paused, hostPause, hostPauses, lane, reasons, mayUseService }: HeldBy,
) {
  const saves: Save[] = [];
  const add = (act: Save["act"], ...words: readonly string[]): void => {
    saves.push({ act, command: words.length === 0 ? null : toCommandLine(...words) });
  };
  if (failure === unreadableKind.id) return { saves, least: 0, most: 0 };
  if (mode === null || failure === null) return { saves, least: 0, most: count };
  const decisions = Object.keys(ruled);
  const isHeld = decisions.length > 0 && decisions.every(isStaying);
  const isMixed = !isHeld && decisions.some(isStaying);
  const parkedFor = toParkedFor(reasons, decisions);
  const isReleasable = parkedFor.some((reason) => !isOfRecord(reason, mayUseService));
  if (parked > 0 && isReleasable) {
    const of = isOnly ? ["--drain", drain] : [];
    add("release", "parked", "release", ...of, "--failure", failure, ...toReasonWords({}));
  }
  const holdsSome = decisions.some((decision) => decision.startsWith("hold "));
  const [why] = parkedFor;
  if (parked > 0 && !isReleasable && why !== undefined) {
    saves.push({ act: "rule", command: null, advice: insteadOfRelease(why) });
  } else if ((waiting > 0 && holdsSome) || (parked > 0 && !isReleasable)) add("rule");
  const kindPause = hostPauses.find(
    (one) => toFailureOfName(one.host ?? "") === failure && (one.drain === "*" || one.drain === drain),
  );
  const isLive = mode === "live";
  const goes = waiting > 0 && !isHeld;
  if (goes) {
    if (paused !== null && "drain" in paused) {
      add("resume", "resume", paused.drain === "*" ? "--all" : paused.drain, ...toReasonWords({}));
    }
    if (hostPause !== null) {
      add("resume", "resume", ...ofDrain(hostPause), "--host", hostPause.host, ...toReasonWords({}));
    }
    if (kindPause !== undefined) {
      add("resume", "resume", ...ofDrain(kindPause), "--failure", failure, ...toReasonWords({}));
    }
    if (!isLive) add("plan", "plan", drain, "--failure", failure, "--keep");
  }
  if (!goes || !isLive || paused !== null || hostPause !== null || kindPause !== undefined) {
    return { saves, least: 0, most: 0 };
  }
  if (lane?.state === "halted" && origin !== null) {
    add("probe", "lanes", "probe", origin, "--drain", drain, ...toReasonWords({}));
  }
  return { saves, least: isMixed ? 0 : Math.max(0, count - parked), most: Math.min(count, waiting) };
}

/** The reasons of its drain that a kind with these decisions may be parked for, the most frequent first. */
function toParkedFor(reasons: HeldBy["reasons"], decisions: readonly string[]): readonly ParkReason[] {
  const all = Object.entries(reasons?.parked ?? {}).toSorted(([, one], [, other]) => other - one);
  const names = all.map(([reason]) => reason as ParkReason);
  const byRules = decisions.filter((decision) => decision.startsWith("park "));
  if (decisions.length === 0) return names;
  return names.filter((reason) =>
    isByRule(reason) ? byRules.length > 0 : byRules.length < decisions.length,
  );
}

function ofDrain({ drain }: PauseRecord): readonly string[] {
  return drain === "*" ? [] : [drain];
}

const written = { rule: "no rule sends these: add one", drain: "no drain selects these: add one" };

/** What saves them, a command as it is typed; and what is known of copies, which save what was in them. */
export function toSaveTexts({
  saves,
  unsent,
  isUnsentExact,
  failure,
  count,
  copied,
}: SavedGroup): readonly { readonly text: string; readonly act?: Save["act"] }[] {
  const texts: { text: string; act?: Save["act"] }[] = saves.map(({ act, command, advice }) => ({
    act,
    text: command ?? advice ?? (act === "drain" ? written.drain : written.rule),
  }));
  const add = (text: string): number => texts.push({ text });
  if (failure === unreadableKind.id) add("nobody can read these: a newer build may");
  else if (texts.length === 0) add(unsent === 0 && isUnsentExact ? "they are sent by themselves" : "–");
  if (copied !== null) {
    add(
      copied === count
        ? "each has a copy in the archive"
        : `at least ${number(copied)} of ${number(count)} have a copy in the archive`,
    );
  }
  return texts;
}
