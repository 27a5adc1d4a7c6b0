import * as z from "zod";
import { isObject } from "../../job/message/json-value.ts";
import { documentSchema } from "./schema/document-schema.ts";
import { builtIn, each } from "./in-effect.ts";

/**
 * JSON Schema (draft 7, which editors read). It accepts what the loader accepts and more: values with a grammar
 * of their own are only described. `default`: what holds if neither the key nor one of `defaults` is there.
 */
export function documentJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(documentSchema, { io: "input", target: "draft-7" });
  return withDefaults({ title: "redriver drains document", ...schema }, builtIn);
}

export function documentJsonSchemaText(): string {
  return `${JSON.stringify(documentJsonSchema(), null, 2)}\n`;
}

type Schema = Readonly<Record<string, unknown>>;

/** The defaults of a mapping are those of its keys, so that an editor offers each by itself. */
function withDefaults(schema: Schema, value: unknown): Record<string, unknown> {
  if (!isObject(value)) return { ...schema, default: value };
  const { withLane, withoutLane } = value;
  if (typeof withoutLane === "string" || typeof withoutLane === "number") {
    const description = `${String(schema["description"])} Without a lane ${withoutLane} unless set.`;
    return { ...schema, description, default: withLane };
  }
  const { properties, additionalProperties, items, anyOf } = schema;
  if (isObject(properties)) {
    const known = Object.entries(properties as Readonly<Record<string, Schema>>).map(([key, one]) => [
      key,
      value[key] === undefined ? one : withDefaults(one, value[key]),
    ]);
    return { ...schema, properties: Object.fromEntries(known) as unknown };
  }
  if (Array.isArray(anyOf)) {
    return { ...schema, anyOf: (anyOf as readonly Schema[]).map((one) => withDefaults(one, value)) };
  }
  const { [each]: ofEach } = value;
  if (isObject(additionalProperties)) {
    return { ...schema, additionalProperties: withDefaults(additionalProperties, ofEach) };
  }
  return isObject(items) ? { ...schema, items: withDefaults(items, ofEach) } : { ...schema };
}
