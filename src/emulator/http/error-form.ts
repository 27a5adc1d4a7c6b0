import type { Operation } from "../journal.ts";
import { errorAnswer, json, type HttpAnswer } from "./exchange.ts";

/** An error as the API of that operation words it: the statistics API has a form of its own. */
export function errorFor(
  operation: Operation,
  status: number,
  error: string,
  headers?: Record<string, string>,
): HttpAnswer {
  if (operation !== "statistics") return errorAnswer(status, error, headers);
  return json(status, { code: status, message: error }, headers);
}
