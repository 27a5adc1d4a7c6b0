import { z } from "zod";

export type Schema = Readonly<Record<string, unknown>>;

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

export interface Fault {
  /** `[].headers.Upstash-Delay`; empty: the value itself. */
  readonly at: string;
  readonly what: string;
  /** What was there, cut. */
  readonly sample: string;
}

const sampleLength = 80;
export const toSample = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, sampleLength);

/** Holds values to the schemas of one document. */
export interface Schemas {
  /** Also for each field that no schema names, although OpenAPI would let it pass. */
  faultsOf(schema: Schema, value: unknown): readonly Fault[];
  /** With its reference followed. */
  follow(schema: Schema): Schema;
}

/** `named`: by their name under `components/schemas`. `isOld`: of OpenAPI 3.0, which has its own keywords. */
export function createSchemas(named: Readonly<Record<string, Schema>>, isOld: boolean): Schemas {
  const definitions = Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, toJsonSchema(schema)]),
  );
  const compiled = new WeakMap<Schema, z.ZodType>();
  const compile = (schema: Schema): z.ZodType => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const json = { ...toJsonSchema(schema), $defs: definitions } as JsonSchema;
    const fresh = z.fromJSONSchema(json, { defaultTarget: isOld ? "openapi-3.0" : "draft-2020-12" });
    compiled.set(schema, fresh);
    return fresh;
  };
  return {
    faultsOf(schema, value) {
      const { error } = compile(schema).safeParse(value);
      return (error?.issues ?? []).flatMap((issue) => toFaults(issue, value));
    },
    follow(schema) {
      const name = nameIn(schema);
      return name === undefined ? schema : this.follow(named[name] ?? {});
    },
  };
}

const reference = /^#\/components\/schemas\/([^/]+)$/;

function nameIn({ $ref }: Schema): string | undefined {
  if (typeof $ref !== "string") return undefined;
  const name = reference.exec($ref)?.[1];
  if (name === undefined) throw new Error(`expected a schema under components/schemas, got ${$ref}`);
  return name;
}

/**
 * As JSON Schema. An object that names its fields has no others, unless it says so. A `default` would excuse a
 * field that is required.
 */
function toJsonSchema(schema: Schema): Schema {
  const { default: _, ...json } = schema as Record<string, unknown>;
  const name = nameIn(schema);
  if (name !== undefined) json["$ref"] = `#/$defs/${name}`;
  for (const key of ["items", "additionalProperties"]) {
    if (key in json) json[key] = convert(json[key]);
  }
  for (const key of ["oneOf", "anyOf", "allOf", "prefixItems"]) {
    if (key in json) json[key] = (json[key] as unknown[]).map(convert);
  }
  if ("properties" in json) {
    const fields = Object.entries(json["properties"] as object);
    json["properties"] = Object.fromEntries(fields.map(([field, one]) => [field, convert(one)]));
    json["additionalProperties"] ??= false;
  }
  return json;
}

/** A schema may be `true` or `false` too. */
const convert = (one: unknown): unknown =>
  typeof one === "object" && one !== null ? toJsonSchema(one as Schema) : one;

function toFaults(issue: z.core.$ZodIssue, value: unknown): readonly Fault[] {
  const found = (path: readonly PropertyKey[], what: string): Fault => ({
    at: toPlace(path),
    what,
    sample: toSample(valueAt(value, path)),
  });
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => found([...issue.path, key], "field not described"));
  }
  const isThere = issue.path.length === 0 || valueAt(value, issue.path) !== undefined;
  if (!isThere) return [found(issue.path, "field missing")];
  if (issue.code === "invalid_union") return [found(issue.path, "none of the forms described")];
  if (issue.code === "invalid_value") return [found(issue.path, "none of the values described")];
  return [found(issue.path, issue.message)];
}

function toPlace(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === "number" ? "[]" : `.${String(key)}`));
  return parts.join("").replace(/^\./, "");
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key], value);
