import { z } from "zod";
import { isNestedTooDeeply, maxNesting } from "../check-input.ts";
import { newMessageId } from "../publish/message.ts";
import { parseSeedId } from "./dlq-ids-and-cursors.ts";
import { redacted, type StoredDeadLetter } from "./stored-dead-letter.ts";

/**
 * A record as a test wants it listed. Its id is of the service's form (`<ms>-<seq>`), made up if it is left
 * out; null makes a record whose listing carries none. What else is left out gets a plain value; any further
 * field is kept.
 */
export const seedRecordSchema = z
  .object({
    dlqId: z
      .string()
      .refine((text) => parseSeedId(text) !== undefined, "expected <ms>-<seq>, not beyond the year 9999")
      .nullable()
      .optional(),
    /** It is listed redacted, and only the service's own retry sends it. */
    redactedBody: z.string().optional(),
  })
  .catchall(z.unknown())
  .refine((record) => !isNestedTooDeeply(record), `nested more than ${maxNesting} levels deep`);

export type SeedRecord = Readonly<z.infer<typeof seedRecordSchema>>;

export const recordsSchema = z.strictObject({ records: z.array(seedRecordSchema) });

/**
 * Records as their JSON is to be listed, byte by byte, and none filled in: for what no object holds, such as
 * 1e400, a key twice, or a thousand levels. One whose `dlqId` is of the service's form stands there, any other
 * enters now, and so can be deleted by no id.
 */
export const textsSchema = z.strictObject({
  texts: z.array(z.string().refine((text) => parseText(text) !== undefined, "expected a JSON object")),
});

export function parseText(text: string): StoredDeadLetter | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? (value as StoredDeadLetter) : undefined;
  } catch {
    return undefined;
  }
}

export function toSeed(seed: SeedRecord, dlqId: string, now: number): StoredDeadLetter {
  const { redactedBody, ...record } = seed;
  const createdAt = typeof record["createdAt"] === "number" ? record["createdAt"] : now;
  return {
    messageId: newMessageId(),
    url: "http://127.0.0.1/",
    method: "POST",
    header: { "Content-Type": ["application/json"] },
    body: "{}",
    bodyBase64: "",
    maxRetries: 3,
    notBefore: createdAt,
    createdAt,
    callerIP: "127.0.0.1",
    responseStatus: 500,
    responseHeader: {},
    responseBody: "",
    responseBodyBase64: "",
    ...record,
    ...(redactedBody === undefined ? {} : { body: redacted(redactedBody) }),
    dlqId: record.dlqId === null ? undefined : dlqId,
  };
}
