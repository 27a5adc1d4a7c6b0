import * as z from "zod";
import { documentSchema } from "./document-schema.ts";

/**
 * JSON Schema (draft 7, which editors read) of the drains document. It accepts whatever the loader accepts,
 * and less strictly: values with a grammar of their own are described, and what keys mean together is left to
 * `redriver rules check`.
 */
export function documentJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(documentSchema, { io: "input", target: "draft-7" });
  return { title: "redriver drains document", ...schema };
}

/** The text that is committed as config/schema/drains.schema.json. */
export function documentJsonSchemaText(): string {
  return `${JSON.stringify(documentJsonSchema(), null, 2)}\n`;
}
