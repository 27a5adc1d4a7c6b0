import { z } from "zod";
import { deepestNesting, isNestedTooDeeply } from "../http/nesting.ts";
import { parseSeedId } from "./position.ts";

/** A record as it is to be listed. Its id is of the service's form (`<ms>-<seq>`), made up where it is left out. */
export const seedRecordSchema = z
  .object({
    dlqId: z
      .string()
      .refine((text) => parseSeedId(text) !== undefined, "expected <ms>-<seq>, not beyond the year 9999")
      .nullable()
      .optional(),
  })
  .catchall(z.unknown())
  .refine((record) => !isNestedTooDeeply(record), `nested more than ${deepestNesting} levels deep`);
