import { describe, expect, it } from "vitest";
import { checkExchange, type Findings } from "./check-exchange.ts";
import type { SeenAnswer, SeenHeaders, SeenRequest } from "./exchange.ts";
import { parseSpecification } from "./specification.ts";

const text = `
openapi: 3.1.0
security: [{ token: [] }, { inQuery: [] }]
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    inQuery: { type: apiKey, in: query, name: key }
  parameters:
    Size: { name: size, in: query, schema: { $ref: "#/components/schemas/Size" } }
  schemas:
    Size: { type: integer, maximum: 9 }
    Parcel:
      type: object
      required: [id]
      properties:
        id: { type: string }
        weight: { type: [number, "null"] }
        notes: { type: object, additionalProperties: { type: array, items: { type: string } } }
    Marked:
      allOf:
        - { $ref: "#/components/schemas/Parcel" }
        - { type: object, required: [mark], properties: { mark: { type: string, default: red } } }
paths:
  /parcels:
    parameters: [{ $ref: "#/components/parameters/Size" }]
    get:
      parameters:
        - { name: to, in: query, schema: { type: array, items: { type: string } } }
        - { name: code, in: query, schema: { type: array, items: { type: integer } } }
        - { name: open, in: query, required: true, schema: { type: boolean } }
      responses:
        "200":
          content:
            application/json:
              schema: { type: object, properties: { parcels: { type: array, items: { $ref: "#/components/schemas/Parcel" } } } }
        4XX:
          content: { application/json: { schema: { type: object, required: [error], properties: { error: { type: string } } } } }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { type: array, items: { type: object, properties: { to: { type: string }, headers: { type: object } } } } } }
      responses: { "201": { description: nobody says what is in it } }
  /parcels/{id}:
    get:
      security: []
      responses:
        "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Marked" } } } }
  /parcels/next:
    get: { responses: { default: { description: whatever } } }
  /send/{to}:
    post:
      parameters:
        - { name: Box-Speed, in: header, schema: { enum: [slow, fast] } }
        - { name: Box-Stops, in: header, schema: { type: integer } }
        - { name: Box-Tag-*, in: header, schema: { type: string } }
      responses: { "200": { description: sent } }
`;
const specification = parseSpecification(text);
const options = { headerPrefix: "Box-", itemHeaders: { "POST /parcels": "POST /send/{to}" } };
const json: SeenHeaders = { "content-type": ["application/json; charset=utf-8"] };

interface Given {
  readonly method?: string;
  readonly headers?: SeenHeaders;
  readonly body?: unknown;
  readonly answer?: Partial<Omit<SeenAnswer, "body">> & { readonly body?: unknown };
}

const toBytes = (body: unknown): Buffer =>
  Buffer.from(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));

/** With a token and without a body, answered 200 with nothing in a list. */
function check(url: string, { method = "GET", headers = {}, body, answer = {} }: Given = {}): Findings {
  const [path = "", query = ""] = url.split("?");
  const request: SeenRequest = {
    method,
    path,
    query,
    headers: { authorization: ["Bearer x"], ...json, ...headers },
    body: toBytes(body),
  };
  const { status = 200, headers: own = json, body: answered = { parcels: [] } } = answer;
  return checkExchange(
    specification,
    { request, answer: { status, headers: own, body: toBytes(answered) } },
    options,
  );
}

const objectionsTo = (url: string, given?: Given): readonly string[] =>
  check(url, given).objections.map(
    ({ operation, where, at, what }) => `${operation}, ${where}, ${at}: ${what}`,
  );

describe("an exchange that is as described", () => {
  it("meets no objection", () => {
    const parcels = [{ id: "a", weight: null, notes: { x: ["y"] } }, { id: "b" }];
    const { operation, objections, seen } = check("/parcels?open=true&to=a&to=b,c&code=-3&size=9", {
      answer: { body: { parcels } },
    });
    expect({ operation, objections }).toEqual({ operation: "GET /parcels", objections: [] });
    expect(seen.toSorted()).toEqual(["answer 200", "query code", "query open", "query size", "query to"]);
  });

  it("may have what nothing is said about: a body of such an answer, headers of others", () => {
    const headers = { "user-agent": ["x"], "box-tag-red": ["1"], "box-speed": ["fast"] };
    expect(objectionsTo("/send/home", { method: "POST", headers, answer: { body: "anything" } })).toEqual([]);
    expect(objectionsTo("/parcels/next", { answer: { status: 500 } })).toEqual([]);
  });

  it("is found by its path: the plainest template, and an address in place of a parameter", () => {
    expect(check("/parcels/next").operation).toBe("GET /parcels/next");
    expect(check("/send/https://a.example/b/c", { method: "POST" }).operation).toBe("POST /send/{to}");
    expect(
      check("/parcels/7", { headers: { authorization: [] }, answer: { body: { id: "7", mark: "m" } } }),
    ).toEqual({
      operation: "GET /parcels/{id}",
      objections: [],
      seen: ["answer 200"],
    });
  });

  it("is half of one if no answer came", () => {
    const request = { method: "GET", path: "/parcels", query: "open=maybe", headers: {}, body: toBytes("") };
    const { objections } = checkExchange(specification, { request, answer: null }, options);
    expect(objections).toMatchObject([
      { where: "request", at: "credentials" },
      { where: "request", at: "query open", sample: "maybe" },
    ]);
  });
});

describe("an objection is made to", () => {
  it.each<readonly [what: string, url: string, given: Given, objections: readonly string[]]>([
    ["a path", "/boxes", {}, ["GET /boxes, request, : operation not described"]],
    [
      "a path with more behind it",
      "/parcels/7/lid",
      {},
      ["GET /parcels/7/lid, request, : operation not described"],
    ],
    ["a path without its parameter", "/parcels/", {}, ["GET /parcels/, request, : operation not described"]],
    [
      "a method",
      "/parcels/7",
      { method: "DELETE" },
      ["DELETE /parcels/7, request, : operation not described"],
    ],
    [
      "a query of another name, type or size, given twice, or left out",
      "/parcels?limit=1&code=1&code=x&size=10",
      {},
      [
        "GET /parcels, request, query limit: parameter not described",
        "GET /parcels, request, query open: parameter missing",
        "GET /parcels, request, query size: Too big: expected number to be <=9",
        "GET /parcels, request, query code: Invalid input: expected number, received string",
      ],
    ],
    [
      "a query that is no list, given twice",
      "/parcels?open=true&open=false",
      {},
      ["GET /parcels, request, query open: given more than once"],
    ],
    [
      "credentials of another scheme",
      "/parcels?open=true",
      { headers: { authorization: ["Basic x"] } },
      ["GET /parcels, request, credentials: none of the forms described"],
    ],
    [
      "a header of the service that is not described, or has another value",
      "/send/home",
      {
        method: "POST",
        headers: { "box-lid": ["1"], "box-speed": ["warp"], "box-stops": ["x"], "box-tag-": ["1"] },
      },
      [
        "POST /send/{to}, request, header box-lid: header not described",
        "POST /send/{to}, request, header Box-Speed: none of the values described",
        "POST /send/{to}, request, header Box-Stops: Invalid input: expected number, received string",
        "POST /send/{to}, request, header box-tag-: header not described",
      ],
    ],
    [
      "a body where none is described",
      "/parcels?open=true",
      { body: {} },
      ["GET /parcels, request, : body not described"],
    ],
    [
      "a body that is missing",
      "/parcels",
      { method: "POST", answer: { status: 201 } },
      ["POST /parcels, request, : body missing"],
    ],
    [
      "a body that is no JSON",
      "/parcels",
      { method: "POST", body: "[{", answer: { status: 201 } },
      ["POST /parcels, request, : no JSON"],
    ],
    [
      "a body of another media type",
      "/parcels",
      { method: "POST", body: "<a/>", headers: { "content-type": ["text/xml"] }, answer: { status: 201 } },
      ["POST /parcels, request, : media type text/xml not described"],
    ],
    [
      "a field of another type, and one that is not described",
      "/parcels",
      { method: "POST", body: [{ to: "a" }, { to: 1, from: "b" }], answer: { status: 201 } },
      [
        "POST /parcels, request, [].to: Invalid input: expected string, received number",
        "POST /parcels, request, [].from: field not described",
      ],
    ],
    [
      "the headers of a message in a list",
      "/parcels",
      {
        method: "POST",
        body: [
          { to: "a", headers: { "Box-Tag-a": "1", "Box-Stops": "2" } },
          { headers: { "Box-Stops": "x", "Box-Lid": "1" } },
        ],
        answer: { status: 201 },
      },
      [
        "POST /parcels, request, item header Box-Stops: Invalid input: expected number, received string",
        "POST /parcels, request, item header Box-Lid: header not described",
      ],
    ],
    [
      "a status",
      "/parcels?open=true",
      { answer: { status: 503 } },
      ["GET /parcels, answer 503, : status not described"],
    ],
    [
      "an answer of a class of statuses",
      "/parcels?open=true",
      { answer: { status: 404, body: { fault: "gone" } } },
      [
        "GET /parcels, answer 404, error: field missing",
        "GET /parcels, answer 404, fault: field not described",
      ],
    ],
    [
      "a field behind a reference",
      "/parcels?open=true",
      {
        answer: {
          body: { parcels: [{ id: "a" }, { id: "b", weight: "1", notes: { x: [1] }, lid: true }, {}] },
        },
      },
      [
        "GET /parcels, answer 200, parcels[].weight: none of the forms described",
        "GET /parcels, answer 200, parcels[].notes.x[]: Invalid input: expected string, received number",
        "GET /parcels, answer 200, parcels[].lid: field not described",
        "GET /parcels, answer 200, parcels[].id: field missing",
      ],
    ],
    [
      "a part of an allOf, also where it has a default, and a field of none",
      "/parcels/7",
      { answer: { body: { id: "7", lid: true } } },
      [
        "GET /parcels/{id}, answer 200, mark: field missing",
        "GET /parcels/{id}, answer 200, lid: field not described",
      ],
    ],
  ])("%s", (_, url, given, objections) => {
    expect(objectionsTo(url, given)).toEqual(objections);
  });

  it("and shows what was there", () => {
    expect(check("/parcels?open=perhaps").objections).toMatchObject([
      { at: "query open", sample: "perhaps" },
    ]);
    const [objection] = check("/parcels?open=true", {
      answer: { body: { parcels: [{ id: "a", weight: 1 }, { id: { no: "text" } }] } },
    }).objections;
    expect(objection).toMatchObject({ at: "parcels[].id", sample: '{"no":"text"}' });
  });
});

describe("a document", () => {
  it("of another version, or with a reference that leads nowhere, is refused", () => {
    expect(() => parseSpecification("swagger: '2.0'")).toThrow("expected an OpenAPI 3 document");
    const bad =
      "openapi: 3.0.3\npaths: { /a: { get: { parameters: [{ $ref: '#/components/parameters/No' }] } } }";
    expect(() => parseSpecification(bad)).toThrow("#/components/parameters/No leads nowhere");
  });

  it("of OpenAPI 3.0 has its own word for null", () => {
    const old = parseSpecification(`
openapi: 3.0.3
paths:
  /a:
    get:
      responses:
        "200": { content: { application/json: { schema: { type: object, properties: { b: { type: string, nullable: true } } } } } }
`);
    const objections = (b: unknown) =>
      checkExchange(
        old,
        {
          request: { method: "GET", path: "/a", query: "", headers: {}, body: toBytes("") },
          answer: { status: 200, headers: json, body: toBytes({ b }) },
        },
        options,
      ).objections.map(({ at }) => at);
    expect([objections(null), objections("c"), objections(1)]).toEqual([[], [], ["b"]]);
  });
});
