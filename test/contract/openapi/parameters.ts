import type { Exchange, SeenHeaders } from "./exchange.ts";
import type { Credentials, Parameter } from "./specification.ts";
import { toSample, type Fault, type Schema, type Schemas } from "./schemas.ts";

/** What was found, and which of the described parameters were there. */
export interface Checked {
  readonly faults: readonly Fault[];
  readonly seen: readonly string[];
}

/** Every name has to be described, with values of its type. A list is a parameter that is repeated. */
export function checkQuery(
  parameters: readonly Parameter[],
  query: URLSearchParams,
  schemas: Schemas,
): Checked {
  const described = parameters.filter(({ place }) => place === "query");
  const names = [...new Set(query.keys())];
  const known = described.filter(({ name }) => query.has(name));
  const unknown = names.filter((name) => !described.some((one) => one.name === name));
  return {
    faults: [
      ...unknown.map((name) => ({
        at: `query ${name}`,
        what: "parameter not described",
        sample: toSample(query.get(name)),
      })),
      ...missing(described, (name) => query.has(name)),
      ...known.flatMap(({ name, schema }) =>
        checkTexts(`query ${name}`, schema, query.getAll(name), schemas),
      ),
    ],
    seen: known.map(({ name }) => `query ${name}`),
  };
}

/**
 * Headers whose name begins with `prefix`, and those that are described. Values of one name are one text, as
 * HTTP has it.
 */
export function checkHeaders(
  parameters: readonly Parameter[],
  headers: SeenHeaders,
  schemas: Schemas,
  prefix: string,
): Checked {
  const described = parameters.filter(({ place }) => place === "header");
  const given = Object.entries(headers).map(([name, values]) => ({
    name,
    text: values.join(", "),
    parameter: findHeader(described, name),
  }));
  const faults = given.flatMap(({ name, text, parameter }): readonly Fault[] => {
    if (parameter !== undefined) {
      return checkTexts(`header ${parameter.name}`, parameter.schema, [text], schemas);
    }
    const isOurs = name.toLowerCase().startsWith(prefix.toLowerCase());
    if (!isOurs) return [];
    return [{ at: `header ${name}`, what: "header not described", sample: toSample(text) }];
  });
  const seen = given.flatMap(({ parameter }) =>
    parameter === undefined ? [] : [`header ${parameter.name}`],
  );
  const has = (name: string): boolean => seen.includes(`header ${name}`);
  return { faults: [...faults, ...missing(described, has)], seen };
}

const rank = ({ name }: Parameter): number => (name.endsWith("*") ? name.length : Infinity);

/** In any case; a whole name counts before one with a star, and of these the longest. */
export function findHeader(parameters: readonly Parameter[], name: string): Parameter | undefined {
  const lower = name.toLowerCase();
  const fits = parameters.filter((one) => {
    const wanted = one.name.toLowerCase();
    return wanted.endsWith("*")
      ? lower.startsWith(wanted.slice(0, -1)) && lower.length >= wanted.length
      : lower === wanted;
  });
  return fits.toSorted((one, other) => rank(other) - rank(one))[0];
}

/** No look at what the credentials are: that is the service's to judge. */
export function checkCredentials(
  allowed: readonly Credentials[],
  { headers, query }: Exchange["request"],
): readonly Fault[] {
  const [scheme = ""] = (headers["authorization"]?.[0] ?? "").toLowerCase().split(" ");
  const isThere = allowed.some((one) =>
    one.kind === "http"
      ? scheme === one.scheme.toLowerCase()
      : one.place === "query"
        ? new URLSearchParams(query).has(one.name)
        : headers[one.name.toLowerCase()] !== undefined,
  );
  return allowed.length === 0 || isThere
    ? []
    : [{ at: "credentials", what: "none of the forms described", sample: "" }];
}

function missing(parameters: readonly Parameter[], has: (name: string) => boolean): readonly Fault[] {
  return parameters
    .filter(({ name, isRequired }) => isRequired && !has(name))
    .map(({ place, name }) => ({ at: `${place} ${name}`, what: "parameter missing", sample: "" }));
}

function checkTexts(
  at: string,
  schema: Schema,
  texts: readonly string[],
  schemas: Schemas,
): readonly Fault[] {
  const { type, items } = schemas.follow(schema);
  if (type === "array") {
    return texts.flatMap((text) => checkTexts(at, (items ?? {}) as Schema, [text], schemas));
  }
  if (texts.length > 1) return [{ at, what: "given more than once", sample: toSample(texts) }];
  return schemas.faultsOf(schema, toValue(type, texts[0] ?? "")).map((fault) => ({ ...fault, at }));
}

/** As its type writes it; a text that is no such value stays one, and is refused as that. */
function toValue(type: unknown, text: string): unknown {
  if (type === "integer" || type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
