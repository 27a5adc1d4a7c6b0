import type { Context } from "hono";
import type { Person } from "./access/person.ts";

/** A request, and what the checks before its page have found out. */
export type Asked = Context<AskedEnv>;

export interface AskedEnv {
  readonly Bindings: {
    readonly incoming: {
      readonly socket: { readonly remoteAddress?: string };
      readonly headers: Record<string, unknown>;
      /** Names and values in turn, as they came. */
      readonly rawHeaders: readonly string[];
    };
  };
  readonly Variables: {
    /** console.basePath. */
    base: string;
    person: Person;
    /** True as long as this request would still be let in, for a stream that goes on. */
    isStillKnown: () => boolean;
    /** Signs forms and cookies. */
    key: string;
  };
}

/** Of the peer; empty: it is gone. */
export function addressOf(context: Asked): string {
  return context.env.incoming.socket.remoteAddress ?? "";
}
