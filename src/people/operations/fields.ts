import { z } from "zod";
import { toDestinationName } from "../../job/message/destination-names.ts";
import { parkReasons } from "../../job/message/park-reasons.ts";
import { parseDuration } from "../../job/rules/durations.ts";
import { field, type FieldFace } from "./define.ts";

export function shortText(maxCharacters: number) {
  return z.string().trim().max(maxCharacters, `expected at most ${maxCharacters} characters`);
}

export const nameText = shortText(200).min(1, "expected a name");

export const expectedDestination =
  "expected a host (pay.example.com), a host with its port (pay.example.com:8443), an origin (https://pay.example.com) or a queue (queue:<name>)";
export const expectedDuration = "expected a duration in s, m, h or d, such as 30m, 2h or 1d";

/** What `read` makes of a text; null: it is none. */
export function readAs<Value>(text: z.ZodString, read: (text: string) => Value | null, expected: string) {
  return text.transform((given, context): Value => {
    const value = read(given);
    if (value !== null) return value;
    context.addIssue({ code: "custom", message: expected });
    return z.NEVER;
  });
}

const destination = readAs(nameText, toDestinationName, expectedDestination);

const toMs = (text: string): number | null => {
  const read = parseDuration(text);
  return read.ok && read.value > 0 ? read.value : null;
};
const span = readAs(z.string(), toMs, expectedDuration);

export const failureId = z
  .string()
  .trim()
  .regex(/^[0-9a-f]{10}$/, "expected the ten hex digits of a kind of failure");

export const drains = field(z.array(nameText).min(1).max(100).optional(), {
  about: "drains of the document",
  value: "names",
  isArgument: true,
  namesDrains: true,
});

export const all = flag("every drain");

export const host = field(destination.optional(), {
  about: "only what goes there: a host, host:port, an origin or queue:<name>",
  value: "host",
});

export const brakedHost = field(destination.optional(), {
  about: "the host, host:port or origin",
  value: "host",
  isArgument: true,
});

export const failure = field(failureId.optional(), {
  about: "only this kind of failure, as redriver failures lists it",
  value: "id",
});

export const forSpan = field(span.optional(), {
  about: "it ends by itself after so long, such as 45s, 30m, 2h or 1d; else a resume ends it",
  value: "time",
  label: "For how long",
  choices: [
    ["30m", "30 minutes"],
    ["2h", "2 hours"],
    ["1d", "1 day"],
  ],
  isOpen: true,
});

export const laneHost = field(destination, {
  about: "a host, host:port, an origin or queue:<name>",
  value: "host",
  isArgument: true,
});

export const laneDrain = field(nameText.optional(), {
  about: "the lane of this drain, if several have one",
  value: "name",
});

export const failureOfMark = field(failureId, {
  about: "a kind of failure, as redriver failures lists it",
  value: "id",
  isArgument: true,
});

export const letterId = field(nameText, {
  about: "its id, as lists show it",
  value: "dlqId",
  isArgument: true,
});

export const sourceId = field(nameText.optional(), {
  about: "its source, if the document has several",
  value: "id",
});

const unixMs = z.coerce.number().int().min(0).max(9e15).optional();

const expectedCount = "expected a whole number, at least 1";

export function countField(about: string, face: Partial<FieldFace> = {}) {
  const count = z.number(expectedCount).int(expectedCount).min(1, expectedCount).max(1e12, expectedCount);
  return field(count.optional(), { about, value: "n", ...face });
}

export function flag(about: string, face: Partial<FieldFace> = {}) {
  return field(z.literal(true).optional(), { about, value: "", ...face });
}

export function filter(about: string, value: string) {
  return field(nameText.optional(), { about, value });
}

/** What no host can match is refused: an empty answer would look as if nothing were there. */
const hostPattern = nameText.refine(
  (text) => text.startsWith("queue:") || !/\s|^(?:https?:\/\/)?(?:\[[^\]]*\]|[^/:]*)(?::\d+)?\/./i.test(text),
  `${expectedDestination}, without a path; * stands for any part`,
);

export function hostFilter(about: string, face: Partial<FieldFace> = {}) {
  return field(hostPattern.optional(), { about: `${about}; * stands for any part`, value: "host", ...face });
}

export const hostGlob = hostFilter("only for this destination host");
export const hostAlone = z.strictObject({ host: hostGlob });

const edge = { value: "time", about: "Unix ms; typed also as 2d, a date, a time with a zone" };

/** Of the audit. */
export const spanFields = {
  from: field(unixMs, { ...edge, flag: "--since", edge: "from" }),
  to: field(unixMs, { ...edge, flag: "--until", edge: "to" }),
  host: hostGlob,
};

export const parkedFilter = z.strictObject({
  drain: filter("only what this drain parked", "name"),
  for: field(z.enum(parkReasons).optional(), {
    about: "only what is parked for this reason",
    value: "reason",
  }),
  host: hostGlob,
  rule: filter("only what this rule matches now", "name"),
  failure,
});
