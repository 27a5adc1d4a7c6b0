import type { KnownObjection } from "./tally.ts";

/** What the vendor's OpenAPI document objects to, and why it stays. Nothing else may be objected to. */
export const knownObjections: readonly KnownObjection[] = [];
