import { z } from "zod";

/** A record as it is to be listed. Its id is of the service's form (`<ms>-<seq>`), made up where it is left out. */
export const seedRecordSchema = z
  .object({
    dlqId: z
      .string()
      .regex(/^(?:0|[1-9]\d{0,14})-(?:0|[1-9]\d{0,8})$/, "expected <ms>-<seq>")
      .nullable()
      .optional(),
  })
  .catchall(z.unknown());
