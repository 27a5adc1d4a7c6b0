import { isObject } from "../message/json-value.ts";
import type { Datapoint, IndexReading } from "../ports/statistics.ts";
import { scalarFields, seriesFields } from "../ports/statistics.ts";

const version = 1;

/** The text kept in Redis: summary only, about a kilobyte whatever the period. */
export function encodeReading(reading: IndexReading): string {
  const { index, readAt, summary } = reading;
  const { scalars, newest, unusableFields } = summary;
  return JSON.stringify({ version, index, readAt, summary: { scalars, newest, unusableFields } });
}

/** The reading, or undefined for a text that this version did not write. */
export function decodeReading(text: string): IndexReading | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["version"] !== version || !isObject(value["summary"])) return undefined;
  const { index, readAt } = value;
  const { scalars, newest, unusableFields } = value["summary"];
  if (typeof index !== "string" || typeof readAt !== "number" || typeof unusableFields !== "number") {
    return undefined;
  }
  if (!isObject(scalars) || !isObject(newest)) return undefined;
  return {
    index,
    readAt,
    summary: {
      scalars: Object.fromEntries(
        scalarFields.flatMap((field) => {
          const number = scalars[field];
          return typeof number === "number" ? [[field, number]] : [];
        }),
      ),
      newest: Object.fromEntries(
        seriesFields.flatMap((field) => {
          const point = newest[field];
          return isDatapoint(point) ? [[field, point]] : [];
        }),
      ),
      unusableFields,
    },
  };
}

function isDatapoint(value: unknown): value is Datapoint {
  if (!isObject(value) || !isObject(value["at"])) return false;
  const { epochMs, nanos } = value["at"];
  return typeof value["value"] === "number" && typeof epochMs === "number" && typeof nanos === "number";
}
