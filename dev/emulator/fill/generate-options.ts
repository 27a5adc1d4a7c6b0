import { z } from "zod";
import { accept } from "../check-input.ts";
import { arrivalShapes } from "./arrival-times.ts";

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
