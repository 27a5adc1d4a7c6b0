/** Which parts of a run work with 64 windows at once and 16 pages in flight of each. */
export const turnedUpOptions = {
  "turned-up": { type: "boolean", default: false },
  "half-turned-up": { type: "boolean", default: false },
} as const;

export type TurnedUp = "none" | "half" | "all";

export function toTurnedUp(values: { readonly [Name in keyof typeof turnedUpOptions]: boolean }): TurnedUp {
  if (values["turned-up"]) return "all";
  return values["half-turned-up"] ? "half" : "none";
}

/** Of cases, daemons or scenarios in their order, from 0. */
export function isTurnedUp(turnedUp: TurnedUp, index: number): boolean {
  return turnedUp === "all" || (turnedUp === "half" && index % 2 === 1);
}
