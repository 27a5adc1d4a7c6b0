import { compileCondition } from "../compile-condition.ts";
import type { RecordFacts } from "../facts.ts";
import { someLeaf } from "./some-leaf.ts";
import type { Condition, DurationField } from "../spec.ts";
import type { Subject } from "../subject.ts";

/**
 * What is left of a condition for one record once all but time has been answered: the answer itself where time can no longer
 * change it.
 */
export type Rest = boolean | RestInTime;

export interface RestInTime {
  /** At that moment, Unix ms. */
  readonly holdsAt: (now: number) => boolean;
  /** Moments at which one of its parts turns, Unix ms in no order; between two of them it stays as it is. */
  readonly turns: readonly number[];
}

type ToRest = (subject: Subject, facts: RecordFacts) => Rest;

/** Compiles a condition to its rest; `whole` is the condition compiled, where that is at hand. */
export function compileRest(condition: Condition, whole?: (subject: Subject) => boolean): ToRest {
  if (!asksForTime(condition)) {
    const holds = whole ?? compileCondition(condition);
    return (subject) => holds(subject);
  }
  switch (condition.kind) {
    case "all":
      return compileList(condition.of, false);
    case "some":
      return compileList(condition.of, true);
    case "not": {
      const toRest = compileRest(condition.of);
      return (subject, facts) => negated(toRest(subject, facts));
    }
    case "duration":
      return compileDuration(condition);
    case "any":
    case "text":
    case "header":
    case "number":
    case "address":
    case "value":
      // None of these asks for time.
      return compileRest(condition);
  }
}

function asksForTime(condition: Condition): boolean {
  return someLeaf(condition, ({ kind }) => kind === "duration");
}

/** `decisive`: the answer of one part that settles the whole, `true` for or and `false` for and. */
function compileList(of: readonly Condition[], decisive: boolean): ToRest {
  // Those that time does not touch first: one of them mostly settles it, and costs the least to keep.
  const parts = [
    ...of.filter((part) => !asksForTime(part)).map((part) => compileRest(part)),
    ...of.filter(asksForTime).map((part) => compileRest(part)),
  ];
  return (subject, facts) => {
    const rests: RestInTime[] = [];
    for (const toRest of parts) {
      const rest = toRest(subject, facts);
      if (rest === decisive) return decisive;
      if (typeof rest !== "boolean") rests.push(rest);
    }
    if (rests.length === 0) return !decisive;
    return {
      holdsAt: (now) => rests.some(({ holdsAt }) => holdsAt(now) === decisive) === decisive,
      turns: rests.flatMap(({ turns }) => turns),
    };
  };
}

function compileDuration({ field, oneOf }: Extract<Condition, { kind: "duration" }>): ToRest {
  // A span of time is always there.
  if (oneOf.some(({ kind }) => kind === "some")) return () => true;
  const ranges = oneOf.flatMap((pattern) => (pattern.kind === "range" ? [pattern] : []));
  return (_subject, facts) => {
    const spans = ranges
      .map(({ from, to }) => momentsOf(field, from, to, facts))
      .filter(({ begin, end }) => begin < end && end > facts.now);
    if (spans.length === 0) return false;
    if (spans.some(({ begin, end }) => begin <= facts.now && end === Infinity)) return true;
    return {
      holdsAt: (now) => spans.some(({ begin, end }) => begin <= now && now < end),
      turns: spans.flatMap(({ begin, end }) => [begin, end]),
    };
  };
}

/** From when (inclusive) until when (exclusive) the field is in the range. Times are whole milliseconds. */
function momentsOf(
  field: DurationField,
  from: number,
  to: number,
  { letter, rootCreatedAt, expiresAt }: RecordFacts,
): { readonly begin: number; readonly end: number } {
  switch (field) {
    case "age":
      return { begin: letter.enteredAt + from, end: letter.enteredAt + to + 1 };
    case "messageAge":
      return { begin: rootCreatedAt + from, end: rootCreatedAt + to + 1 };
    // What is left shrinks, so the range is entered at its upper end.
    case "timeLeft":
      return { begin: expiresAt - to, end: expiresAt - from + 1 };
  }
}

function negated(rest: Rest): Rest {
  if (typeof rest === "boolean") return !rest;
  return { holdsAt: (now) => !rest.holdsAt(now), turns: rest.turns };
}
