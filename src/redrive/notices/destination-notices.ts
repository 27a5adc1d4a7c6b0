import type { NoticeItem } from "../../ports/notices.ts";
import { toMainFailure } from "./main-failure.ts";
import type { NoticeFacts } from "./notice-facts.ts";

/** Lanes whose halt was told, by id. */
export type HaltedMemory = Readonly<Record<string, Pick<NoticeFacts["halted"][number], "drain" | "origin">>>;

/** Lanes that halted, and lanes that get more than probes again, since the last evaluation. */
export function toDestinationNotices(
  before: HaltedMemory,
  facts: NoticeFacts,
): { readonly halted: NoticeItem[]; readonly resumed: NoticeItem[]; readonly after: HaltedMemory } {
  const now = Object.fromEntries(facts.halted.map(({ lane, drain, origin }) => [lane, { drain, origin }]));
  const after: HaltedMemory = facts.isHaltedWhole ? now : { ...before, ...now };
  const toItem = ({ drain, origin }: HaltedMemory[string]): NoticeItem => {
    const failures = facts.drains.find((one) => one.drain === drain)?.failures ?? [];
    let count = 0;
    for (const { id, waiting } of failures) if (facts.kinds.get(id)?.origin === origin) count += waiting;
    return { drain, ...toMainFailure(failures, facts, ({ waiting }) => waiting, origin), count };
  };
  const halted = Object.entries(after).filter(([lane]) => !Object.hasOwn(before, lane));
  // A drain that left the document resumes nothing.
  const resumed = Object.entries(before).filter(
    ([lane, { drain }]) => !Object.hasOwn(after, lane) && facts.drains.some((one) => one.drain === drain),
  );
  return {
    halted: halted.map(([, lane]) => toItem(lane)),
    resumed: resumed.map(([, lane]) => toItem(lane)),
    after,
  };
}
