import { defined } from "../../../job/message/defined.ts";
import type { FlowControl } from "../../../job/message/item-changes.ts";
import * as z from "zod";
import { ifClean, key, line, positiveDuration, section, wholeNumber } from "./building-blocks.ts";

const keyOfFlow = line("the key of the flow control");

const bounds = {
  parallelism: key(wholeNumber(1, 1_000_000), "Deliveries at the same time."),
  rate: key(wholeNumber(1, 1_000_000), "Deliveries per period."),
  period: key(positiveDuration, "Of the rate; whole seconds."),
};

const wholeSeconds = [
  ({ period }: { readonly period?: number | undefined }) => (period ?? 0) % 1_000 === 0,
  ifClean("a period of whole seconds"),
] as const;

type FlowKeys = Partial<Readonly<Record<"key" | "parallelism" | "rate" | "period", unknown>>>;

/** Null: they are a flow control. */
export function misfitOfFlowControl({ key, parallelism, rate, period }: FlowKeys): string | null {
  if (key === undefined) return "the key of the flow control";
  if (parallelism === undefined && rate === undefined) return "at least one of parallelism and rate";
  return period === undefined || rate !== undefined ? null : "a rate beside period";
}

export const flowControl = section({ key: keyOfFlow, ...bounds })
  .refine((flow) => misfitOfFlowControl(flow) === null, {
    ...ifClean(""),
    error: ({ input }) => misfitOfFlowControl(input as FlowKeys) ?? "",
  })
  .refine(...wholeSeconds);

/** Of `defaults` and drains: each may have a part. `none` takes the one of a layer below away. */
export const flowControlLayer = z.union(
  [
    z.literal("none").transform(() => null),
    section({ key: key(keyOfFlow, "Its key, shared by all messages that carry it."), ...bounds }).refine(
      ...wholeSeconds,
    ),
  ],
  "a mapping, or none",
);

export type FlowControlKeys = z.output<typeof flowControl>;

export function toFlowControl({ key, parallelism, rate, period }: FlowControlKeys): FlowControl {
  return defined({ key, parallelism, rate, periodMs: period });
}
