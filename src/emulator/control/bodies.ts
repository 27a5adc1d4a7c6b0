import { z } from "zod";
import { seedRecordSchema } from "../dlq/seed-schema.ts";

export { accept } from "../http/json-body.ts";

/** What the control API is sent. A field it does not know is refused: it would be a mistake that shows nowhere else. */
export const bodies = {
  token: z.strictObject({
    token: z.string().regex(/^[\x21-\x7e]+$/, "expected printable ASCII without spaces"),
  }),
  clock: z.union([
    z.strictObject({ advanceMs: z.number().int().min(0) }),
    z.strictObject({ to: z.number().int().min(0) }),
  ]),
  queue: z.strictObject({ parallelism: z.number().int().min(1).optional(), paused: z.boolean().optional() }),
  records: z.strictObject({ records: z.array(seedRecordSchema) }),
};
