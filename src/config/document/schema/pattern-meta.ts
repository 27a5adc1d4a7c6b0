/**
 * What editors are told of values that have a grammar of their own: JSON Schema that takes at least what the parsers of
 * src/rules take, under names that are shared by all keys.
 */
const exists = {
  type: "object",
  additionalProperties: false,
  properties: { exists: { type: "boolean" } },
  required: ["exists"],
};

const text = { type: "string", minLength: 1 };
export const textForms = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    regex: { ...text, description: "RE2 syntax, found anywhere in the text." },
    prefix: text,
    suffix: text,
    equals: { ...text, description: "This text as it is: no glob, no none." },
    in: { type: "array", items: text, minItems: 1, description: "One of these texts as they are." },
    exists: { type: "boolean" },
  },
};

const numberForms = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    equals: { type: "integer", minimum: 0 },
    in: { type: "array", items: { type: "integer", minimum: 0 }, minItems: 1 },
    range: { type: "string", examples: ["502-504"] },
    exists: { type: "boolean" },
  },
};

const scalar = { type: ["string", "number", "boolean", "null"] };
const valueForms = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    equals: scalar,
    in: { type: "array", items: scalar, minItems: 1 },
    range: { type: "string", examples: ["3-7"] },
    regex: { ...text, description: "RE2 syntax, found anywhere in the text." },
    prefix: text,
    suffix: text,
    exists: { type: "boolean" },
  },
};

function oneOrMany(...forms: readonly object[]) {
  return { anyOf: [...forms, { type: "array", items: { anyOf: forms }, minItems: 1, maxItems: 1_000 }] };
}

const anyText = oneOrMany(text, textForms);
const anyValue = oneOrMany(scalar, valueForms);

export const textPatternMeta = {
  id: "textPattern",
  description:
    "Exact, a glob with *, none (absent), { regex | prefix | suffix | equals | in | exists }, or a list (or).",
  examples: ["orders", "*.example.com", "none", { regex: "^ord-[0-9]+$" }, { exists: true }],
  ...anyText,
};

export const numberPatternMeta = {
  id: "numberPattern",
  description: "503, 502-504, 5xx, < 3, none (absent), { equals | in | range | exists }, or a list (or).",
  examples: [503, "502-504", "5xx", "< 3", "none"],
  ...oneOrMany({ type: "integer", minimum: 0 }, { type: "string" }, numberForms),
};

export const momentPatternMeta = {
  id: "momentPattern",
  description: "A date, a comparison with one, Unix ms, none (absent), { exists }, or a list (or).",
  examples: ["< 2026-11-01", ">= 2026-11-01T18:00:00Z", { exists: true }],
  ...oneOrMany({ type: "string" }, { type: "integer" }, exists),
};

export const durationPatternMeta = {
  id: "durationPattern",
  description: "A comparison (> 48h, <= 5m) or a range (1h-2h) of durations, or a list (or).",
  examples: ["> 48h", "1h-2h"],
  ...oneOrMany({ type: "string" }),
};

export const addressPatternMeta = {
  id: "addressPattern",
  description: "An IP address, a network (10.0.0.0/8), none (absent), { in | exists }, or a list (or).",
  examples: ["10.1.2.3", "10.0.0.0/8", "2001:db8::/32"],
  ...oneOrMany(
    { type: "string" },
    {
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      properties: {
        in: { type: "array", items: { type: "string" }, minItems: 1 },
        exists: { type: "boolean" },
      },
    },
  ),
};

export const bodyPatternMeta = {
  id: "bodyPattern",
  description:
    "A text pattern for the whole, or a mapping of JSON pointers (/tenant) to values, of which all must hold.",
  examples: ["*timeout*", { "/tenant": "acme", "/schema": "< 3" }],
  anyOf: [
    ...anyText.anyOf,
    {
      type: "object",
      propertyNames: { pattern: "^(/.*)?$" },
      additionalProperties: anyValue,
      minProperties: 1,
    },
  ],
};
