import { z } from "zod";
import { accept } from "../http/parse-request.ts";

/** How records are spread over the time that they entered in. */
const arrivalShapes = ["even", "burst", "skewed"] as const;
type ArrivalShape = (typeof arrivalShapes)[number];

const defaultDestinations: readonly string[] = [
  "http://127.0.0.1:9001/webhooks/orders",
  "http://127.0.0.1:9001/webhooks/payments",
  "http://localhost:9002/api/invoices",
  "http://127.0.0.1:9001/webhooks/refunds",
  "http://127.0.0.1:9003/mail/send",
  "http://localhost:9002/api/customers/import?fields=id,name,mail",
  "http://[::1]:9004/search/index",
  "http://127.0.0.1:9003/reports/nightly",
];

const schema = z.strictObject({
  count: z.number().int().min(0).max(10_000_000),
  /** The same seed makes the same records, at the same distances from the end of the time. */
  seed: z.number().int().min(0).max(0xffff_ffff).default(1),
  arrivals: z.enum(arrivalShapes).default("even"),
  overMs: z
    .number()
    .int()
    .min(0)
    .max(3_650 * 86_400_000)
    .default(6 * 3_600_000),
  /** Bytes of a record as JSON; it may have more if its fields take more, and less if none can be filled. */
  recordBytes: z.number().int().min(0).max(10_000_000).default(2_048),
  destinations: z
    .array(z.url({ protocol: /^https?$/ }))
    .min(1)
    .default([...defaultDestinations]),
});

export type GenerateOptions = Readonly<z.input<typeof schema>>;
type GenerateSettings = Readonly<z.output<typeof schema>>;

export const parseGenerateOptions = (value: unknown): GenerateSettings => accept(schema, value);

/**
 * Where in the time the next of all records enters, both from 0 to 1: the inverse of the share that has
 * entered so far. It never falls, so records can be made in the order of their entry.
 */
export function arrivalAt(shape: ArrivalShape, share: number): number {
  switch (shape) {
    case "even":
      return share;
    case "burst":
      return burstAt(share);
    case "skewed":
      // Density grows with the square of time: an outage that gets worse, and more than half of it in the
      // last fifth.
      return Math.cbrt(share);
  }
}

// A fifth of the records trickles in all the time; the rest comes in 3% of it.
const trickle = 0.2;
const burst = { from: 0.6, to: 0.63 };
const before = trickle * burst.from;
const after = trickle * burst.to + (1 - trickle);

function burstAt(share: number): number {
  if (share < before) return share / trickle;
  if (share < after) return burst.from + ((share - before) / (after - before)) * (burst.to - burst.from);
  return burst.to + (share - after) / trickle;
}
