/** A screen of the console as a value: what it reads, and its sections in the order that a person sees them. */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Core } from "../../job/door.ts";
import type { ConsoleRole } from "../../job/contracts/console-roles.ts";
import type { Person } from "./access/person.ts";
import type { PlanDesk } from "../operations/plans/plan-desk.ts";
import type { Reads } from "./live/reads.ts";

export type Html = JSX.Element;

export interface ScreenContext {
  readonly core: Core;
  readonly reads: Reads;
  readonly plans: PlanDesk;
  readonly person: Person;
  /** Unix ms, by this process. */
  readonly now: number;
  readonly query: URLSearchParams;
  /** Parts of the path by their names in `Screen.path`. */
  readonly params: Readonly<Record<string, string>>;
  /** Path and query of this page, for links and for the way back from an act. */
  readonly url: string;
  /** The name that this browser gave with an act before, for who is not known; null: none. */
  readonly rememberedName: string | null;
  /** Signs the page's forms; a form without it is refused. */
  readonly formToken: string;
  /** People are known by tokens, so another one can sign in here. */
  readonly hasSignIn: boolean;
  /** Why this replica rejects its token file; null: it does not, or has none. */
  readonly tokenProblem: string | null;
  readonly signal: AbortSignal;
}

export type Drawn<What> = Readonly<What> & { readonly context: ScreenContext };

type Render<Model> = (model: Model, context: ScreenContext) => Html | null;

export interface Section<Model> {
  /** Also of its HTML element. */
  readonly id: string;
  readonly isLive: boolean;
  readonly render: Render<Model>;
}

/** A section that is rendered again every few seconds while somebody looks at it, but not while a form in it is open. */
export function live<Model>(id: string, render: Render<Model>): Section<Model> {
  return { id, isLive: true, render };
}

export function still<Model>(id: string, render: Render<Model>): Section<Model> {
  return { id, isLive: false, render };
}

/** In the order of the pages, each with its title and its key. */
export const areas = {
  now: ["Now", "n"],
  failures: ["Failures", "f"],
  plans: ["Plans", "p"],
  parked: ["Parked", "a"],
  history: ["History", "h"],
  rules: ["Rules", "r"],
  indexes: ["Indexes", "x"],
} as const;
export type Area = keyof typeof areas;

export interface Screen<Model = unknown> {
  /** As hono writes paths: `/failures/:id`. */
  readonly path: string;
  readonly area: Area;
  readonly role: ConsoleRole;
  readonly title: (model: Model) => string;
  /** What stands over its sections; default: the title. Null: they begin with what the page is about. */
  readonly heading?: (model: Model) => Html | null;
  /** Null: there is no such thing. Reads Redis only, but for the page of one message. */
  readonly load: (context: ScreenContext) => Promise<Model | null>;
  readonly sections: readonly Section<Model>[];
}

export function defineScreen<Model>(page: Screen<Model>): Screen {
  return page as unknown as Screen;
}
