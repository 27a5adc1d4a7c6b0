import * as z from "zod";
import { defined } from "../../../message/defined.ts";
import type { FlowControl } from "../../../message/item-changes.ts";
import { positiveDuration } from "./schedule-schema.ts";
import { ifClean, key, line, section, wholeNumber } from "./shapes.ts";

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

type FlowBounds = Readonly<Record<"parallelism" | "rate" | "period", unknown>>;

/** What its keys mean together. */
const together: readonly {
  readonly fits: (flow: Partial<FlowBounds>) => boolean;
  readonly expected: string;
}[] = [
  {
    fits: ({ parallelism, rate }) => parallelism !== undefined || rate !== undefined,
    expected: "at least one of parallelism and rate",
  },
  {
    fits: ({ period, rate }) => period === undefined || rate !== undefined,
    expected: "a rate beside period",
  },
];

/** Of a rule's `set`: whole. */
export const flowControl = together
  .reduce(
    (schema, { fits, expected }) => schema.refine(fits, ifClean(expected)),
    section({ key: keyOfFlow, ...bounds }),
  )
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

/** What keeps these keys from being a flow control; null: nothing. */
export function misfitOfFlowControl(flow: Partial<FlowBounds & { readonly key: unknown }>): string | null {
  if (flow.key === undefined) return "the key of the flow control";
  return together.find(({ fits }) => !fits(flow))?.expected ?? null;
}

export function toFlowControl({ key, parallelism, rate, period }: FlowControlKeys): FlowControl {
  return defined({ key, parallelism, rate, periodMs: period });
}
