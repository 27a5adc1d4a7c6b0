import { turnedUp, type Knobs } from "../support/knobs.ts";
import type { MessageService } from "../../src/job/contracts/service.ts";

/** How a daemon is told. */
export const turnedUpEnv = {
  FAULT_TURNED_UP: "yes",
  REDRIVER_WINDOWS_CONCURRENCY: String(turnedUp.windowsAtOnce),
} as const;

/** Windows of a few pages, so that several of both are at work. */
export const knobs: Knobs = { ...turnedUp, windowSizes: { pages: 8, splitFrom: 1 } };

/** A drain with something to do has several pages. What stays in a drain at the end fits one, and is not split. */
const recordsPerPage = 4;

export function withSmallPages(service: MessageService): MessageService {
  return {
    list: (query, signal) => service.list({ ...query, count: Math.min(query.count, recordsPerPage) }, signal),
    clockOffsetMs: () => service.clockOffsetMs(),
    publish: (items, lastByteAllowed, signal) => service.publish(items, lastByteAllowed, signal),
    remove: (ids, signal) => service.remove(ids, signal),
  };
}
