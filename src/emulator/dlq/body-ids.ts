import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { Refusal } from "../refusal.ts";

const form = z.strictObject({ dlqIds: z.array(z.string().min(1)) });

/** Ids from a body of exactly the form `{"dlqIds": ["…"]}`; undefined without a body. */
export function parseBodyIds(body: Buffer): string[] | undefined {
  if (body.length === 0) return undefined;
  const parsed = form.safeParse(readJson(body));
  if (!parsed.success) throw new Refusal(400, 'the body must be empty or {"dlqIds": ["…"]}');
  return parsed.data.dlqIds;
}

function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
