import { errorAnswer, json, type HttpAnswer, type Exchange } from "../http/exchange.ts";
import type { Params, Route } from "../http/routes.ts";
import { EmulatorRefusal } from "../refusal.ts";
import type { EmulatorCore } from "../emulator-core.ts";

type Control = (core: EmulatorCore, exchange: Exchange, params: Params) => HttpAnswer | Promise<HttpAnswer>;

export interface ControlRoute extends Route {
  readonly control: Control;
  /** The query parameters it knows. */
  readonly parameters: readonly string[];
}

export const route = (
  method: string,
  path: string,
  control: Control,
  parameters: readonly string[] = [],
): ControlRoute => ({ method, path: `/_control${path}`, control, parameters });

export const found = (existed: boolean, what: string): HttpAnswer =>
  existed ? json(200, {}) : errorAnswer(404, `no such ${what}`);

/** A misspelt parameter would otherwise make an assertion that always holds. */
export function refuseUnknownParameters({ query }: Exchange, known: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw new EmulatorRefusal(400, `unknown query parameter: ${unknown}`);
}
