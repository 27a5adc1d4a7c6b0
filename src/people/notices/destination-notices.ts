import type { NoticeItem } from "../../job/contracts/notices.ts";
import { toMainFailure } from "./main-failure.ts";
import type { HaltedLane, NoticeFacts } from "./notice-facts.ts";

/** Lanes whose halt was told, by id. */
export type HaltedMemory = Readonly<Record<string, Pick<HaltedLane, "drain" | "origin">>>;

/** Lanes that halted, and lanes that get more than probes again, since the last evaluation. */
export function toDestinationNotices(
  before: HaltedMemory,
  facts: NoticeFacts,
): { readonly halted: NoticeItem[]; readonly resumed: NoticeItem[]; readonly after: HaltedMemory } {
  const now = Object.fromEntries(facts.halted.map(({ lane, drain, origin }) => [lane, { drain, origin }]));
  const after: HaltedMemory = facts.isHaltedWhole ? now : { ...before, ...now };
  const toItem = ({ drain, origin }: HaltedMemory[string]): NoticeItem => {
    const { failures = [], destinations = [] } = facts.drains.find((one) => one.drain === drain) ?? {};
    const count = destinations.find((one) => one.origin === origin)?.waiting ?? 0;
    return { drain, ...toMainFailure(failures, facts, ({ waiting }) => waiting, origin), count };
  };
  const halted = facts.halted
    .filter(({ lane }) => !Object.hasOwn(before, lane))
    .map(({ nextAt, ...lane }): NoticeItem => {
      const item = toItem(lane);
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
