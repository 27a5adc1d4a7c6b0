declare const brand: unique symbol;
type Branded<Text extends string> = string & { readonly [brand]: Text };

/** Immutable name of a source; part of every Redis key of that source. `[a-z0-9][a-z0-9-]*` */
export type SourceId = Branded<"SourceId">;
/** Name of a drain in the document. `[a-z0-9][a-z0-9-]*` */
export type DrainName = Branded<"DrainName">;
/** The right to act on a set of dead letters, created for one `begin`. */
export type Token = Branded<"Token">;
export type PassId = Branded<"PassId">;
export type PlanId = Branded<"PlanId">;

export interface Identities {
  token(): Token;
  passId(): PassId;
}
