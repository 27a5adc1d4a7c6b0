import type { StandingFailure } from "../../job/contracts/failures.ts";
import type { NoticeItem } from "../../job/contracts/notices.ts";
import { type HaltedLane, type NoticeFacts, toMainFailure } from "./notice-facts.ts";
import { rankInEvidence } from "../read/answer-text.ts";

/** Lanes whose halt was told, by id. */
export type HaltedMemory = Readonly<Record<string, ToldHalt>>;
type ToldHalt = Pick<HaltedLane, "drain" | "origin"> & Partial<Pick<NoticeItem, "cause" | "failure">>;

/** Lanes that halted, and lanes that get more than probes again, since the last evaluation. */
export function toDestinationNotices(
  before: HaltedMemory,
  facts: NoticeFacts,
): { readonly halted: NoticeItem[]; readonly resumed: NoticeItem[]; readonly after: HaltedMemory } {
  const toItem = ({ drain, origin, ...told }: ToldHalt, why?: string): NoticeItem => {
    const { failures = [], destinations = [] } = facts.drains.find((one) => one.drain === drain) ?? {};
    const count = destinations.find((one) => one.origin === origin)?.waiting ?? 0;
    // What halted the lane is its own evidence. The kind is shown if it is of the same answers.
    const countOf = ({ id, waiting }: StandingFailure): number => {
      const kind = facts.kinds.get(id);
      const isOfIt = why === undefined || (kind !== undefined && rankInEvidence(why, kind) < Infinity);
      return isOfIt ? waiting : 0;
    };
    const main = toMainFailure(failures, facts, countOf, origin);
    // What is no longer halted may have nothing that waits.
    const known = why === undefined && main.cause === null ? told : {};
    return { drain, ...main, ...known, ...(why !== undefined && { cause: why }), count };
  };
  const toTold = ({ lane, drain, origin, why }: HaltedLane): ToldHalt => {
    const { cause, failure } = toItem({ drain, origin }, why);
    return before[lane] ?? { drain, origin, cause, failure };
  };
  const now = Object.fromEntries(facts.halted.map((one) => [one.lane, toTold(one)]));
  const after: HaltedMemory = facts.isHaltedWhole ? now : { ...before, ...now };
  const halted = facts.halted
    .filter(({ lane }) => !Object.hasOwn(before, lane))
    .map(({ nextAt, why, ...lane }): NoticeItem => {
      const item = toItem(lane, why);
      return nextAt === null ? item : { ...item, figures: { nextProbeAt: nextAt } };
    });
  // A drain that left the document resumes nothing.
  const resumed = Object.entries(before).filter(
    ([lane, { drain }]) => !Object.hasOwn(after, lane) && facts.drains.some((one) => one.drain === drain),
  );
  return {
    halted,
    resumed: resumed.map(([, lane]) => toItem(lane)),
    after,
  };
}
