import { parse } from "yaml";
import { createSchemas, type Schema, type Schemas } from "./schemas.ts";

/** What an OpenAPI 3 document says, as far as a proxy can hold traffic to it. */
export interface Specification {
  readonly operations: readonly Operation[];
  readonly schemas: Schemas;
}

export interface Operation {
  /** `POST /v2/batch`. */
  readonly name: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody: Body | undefined;
  /** By status: `200`, `4XX` or `default`. */
  readonly answers: Readonly<Record<string, Pick<Body, "schemaOf">>>;
  /** Any one of them is enough; empty: none is asked for. */
  readonly credentials: readonly Credentials[];
}

export interface Parameter {
  readonly place: "query" | "header" | "path";
  /** A header's may end with a star. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

export interface Body {
  readonly isRequired: boolean;
  /** By media type; empty: no body is described. */
  readonly schemaOf: ReadonlyMap<string, Schema>;
}

export type Credentials =
  | { readonly kind: "http"; readonly scheme: string }
  | { readonly kind: "key"; readonly place: string; readonly name: string };

interface Node {
  readonly [key: string]: Node | undefined;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Throws if a reference leads nowhere, or out of the document. */
export function parseSpecification(text: string): Specification {
  const document = parse(text) as Node;
  const version = textOf(document["openapi"]);
  if (!/^3\.[01]\./.test(version)) throw new Error(`expected an OpenAPI 3 document, got openapi: ${version}`);
  const resolve = (node: Node | undefined): Node => resolved(document, node ?? {});
  const operations = entriesOf(document["paths"]).flatMap(([template, reference]) => {
    const item = resolve(reference);
    return methods.flatMap((method) => {
      const node = item[method];
      if (node === undefined) return [];
      const security = node["security"] ?? document["security"];
      return {
        name: `${method.toUpperCase()} ${template}`,
        method: method.toUpperCase(),
        template,
        parameters: toParameters([...listOf(item["parameters"]), ...listOf(node["parameters"])].map(resolve)),
        requestBody: node["requestBody"] && toBody(resolve(node["requestBody"])),
        answers: Object.fromEntries(
          entriesOf(node["responses"]).map(([status, answer]) => [status, toBody(resolve(answer))]),
        ),
        credentials: toCredentials(security, (name) =>
          resolve(document["components"]?.["securitySchemes"]?.[name]),
        ),
      };
    });
  });
  const named = document["components"]?.["schemas"] as Readonly<Record<string, Schema>> | undefined;
  return { operations, schemas: createSchemas(named ?? {}, version.startsWith("3.0.")) };
}

const textOf = (node: unknown): string => (typeof node === "string" ? node : "");
const entriesOf = (node: Node | undefined): readonly (readonly [string, Node])[] =>
  Object.entries(node ?? {}) as [string, Node][];
const listOf = (node: unknown): readonly Node[] => (Array.isArray(node) ? (node as Node[]) : []);

function resolved(document: Node, node: Node): Node {
  const reference = node["$ref"] as string | undefined;
  if (reference === undefined) return node;
  const parts = reference
    .replace(/^#\//, "")
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = parts.reduce<Node | undefined>((at, part) => at?.[part], document);
  if (!reference.startsWith("#/") || found === undefined) throw new Error(`${reference} leads nowhere`);
  return resolved(document, found);
}

/** One of the operation replaces that of its path. */
function toParameters(nodes: readonly Node[]): readonly Parameter[] {
  const parameters = nodes.flatMap((node): readonly Parameter[] => {
    const place = node["in"] as string | undefined;
    if (place !== "query" && place !== "header" && place !== "path") return [];
    const isRequired = (node["required"] as unknown) === true;
    return [{ place, name: textOf(node["name"]), isRequired, schema: node["schema"] ?? {} }];
  });
  return [...new Map(parameters.map((one) => [`${one.place} ${one.name}`, one])).values()];
}

function toBody(node: Node): Body {
  const types = entriesOf(node["content"]).map(
    ([type, media]) => [type.toLowerCase(), (media["schema"] ?? {}) as Schema] as const,
  );
  return { isRequired: (node["required"] as unknown) === true, schemaOf: new Map(types) };
}

/** Of several schemes that are asked for together only the first is looked at. */
function toCredentials(security: unknown, schemeOf: (name: string) => Node): readonly Credentials[] {
  return listOf(security).flatMap((requirement): readonly Credentials[] => {
    const [name] = Object.keys(requirement);
    if (name === undefined) return [];
    const scheme = schemeOf(name);
    if (textOf(scheme["type"]) === "http") return [{ kind: "http", scheme: textOf(scheme["scheme"]) }];
    return [{ kind: "key", place: textOf(scheme["in"]), name: textOf(scheme["name"]) }];
  });
}
