/** The OpenAPI document, from the schemas that requests are parsed with and answers are tested with. */
import { z } from "zod";
import { apiPath, errorAnswer } from "./refusal.ts";
import { routes } from "./operation-route.ts";
import { paramsOf, type ApiRoute } from "./answer.ts";

const refusalWords: Readonly<Record<number, string>> = {
  400: "The request is not as described here, or cannot be meant",
  401: "No token, or one that is not known",
  403: "The role does not allow it, or a page of another site asks",
  404: "There is no such thing, or not any more",
  409: "It cannot be done now",
  413: "The body is larger than 16 KiB",
  415: "The body is not application/json",
  421: "The host is none of the console's",
  429: "Too many wrong tokens came from this address",
  500: "It failed",
  503: "Redis does not answer",
};

const ofAll = [400, 401, 403, 421, 429, 500, 503];

export function toOpenApi(version: string, base = ""): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: toOperation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "redriver console",
      version,
      description:
        "What the console shows and does, for programs. Answers may gain fields. Errors are { error: { code, message } }.",
    },
    servers: [{ url: `${base}${apiPath}` }],
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "With console.auth token." },
      },
      schemas: { Error: toSchema(errorAnswer) },
    },
  };
}

export function statusesOf({ status, body, refuses }: ApiRoute): readonly number[] {
  return [
    status,
    ...[...ofAll, ...refuses, ...(body === null ? [] : [413, 415])].toSorted((one, other) => one - other),
  ];
}

function toOperation(route: ApiRoute): object {
  const { path, method, summary, role, query, body, answer } = route;
  const [status, ...refusals] = statusesOf(route);
  return {
    operationId: `${method}${path.replaceAll(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    description: `Needs the role ${role}.`,
    parameters: [
      ...paramsOf(route).map((name) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      })),
      ...toParameters(query),
    ],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: toSchema(body) } } } }),
    responses: {
      [String(status)]: {
        description: summary,
        content: { "application/json": { schema: toSchema(answer) } },
      },
      ...Object.fromEntries(
        refusals.map((refusal) => [
          String(refusal),
          {
            description: refusalWords[refusal],
            content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
          },
        ]),
      ),
    },
  };
}

function toParameters(query: z.ZodType): readonly object[] {
  const { properties = {}, required = [] } = toSchema(query) as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

/** As a caller writes it, and open to fields that a later version adds to answers. */
export function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}
