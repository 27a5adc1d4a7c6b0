import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { isSaidOnce } from "../http/said-once.ts";
import { EmulatorRefusal } from "../refusal.ts";

const form = z.strictObject({ dlqIds: z.array(z.string().min(1)) });

/** Ids from a body of exactly the form `{"dlqIds": ["…"]}`; undefined without a body. */
export function parseBodyIds(body: Buffer): string[] | undefined {
  if (body.length === 0) return undefined;
  const text = body.toString("utf8");
  const parsed = form.safeParse(isUtf8(body) ? readJson(text) : undefined);
  if (!parsed.success || !isSaidOnce(text, parsed.data.dlqIds)) {
    throw new EmulatorRefusal(400, 'the body must be empty or {"dlqIds": ["…"]}');
  }
  return parsed.data.dlqIds;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
