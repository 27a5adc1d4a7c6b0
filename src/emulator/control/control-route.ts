import { errorAnswer, json, type Answer, type Exchange } from "../http/exchange.ts";
import type { Params, Route } from "../http/routes.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";

type Control = (world: World, exchange: Exchange, params: Params) => Answer | Promise<Answer>;

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

export const found = (existed: boolean, what: string): Answer =>
  existed ? json(200, {}) : errorAnswer(404, `no such ${what}`);

/** A misspelt parameter would otherwise make an assertion that always holds. */
export function refuseUnknownParameters({ query }: Exchange, known: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Refusal(400, `unknown query parameter: ${unknown}`);
}
