import type { Condition } from "../../rules/spec.ts";
import type { ValuePath } from "../problem.ts";
import type { WhenKeys } from "./schema/when-schema.ts";

/** Where the parts of conditions stand in the document. */
export type Places = Map<Condition, ValuePath>;

/**
 * The condition of a `when`: its keys are and. A single test stands for itself. `path` leads to the `when`;
 * the place of each part of it is recorded in `places`.
 */
export function toCondition(when: WhenKeys | "any", path: ValuePath = [], places?: Places): Condition {
  const placed = (condition: Condition, ...way: ValuePath): Condition => {
    places?.set(condition, [...path, ...way]);
    return condition;
  };
  const inner = (keys: WhenKeys, ...way: ValuePath): Condition =>
    toCondition(keys, [...path, ...way], places);

  if (when === "any") return placed({ kind: "any" });
  const { tests, all = [], any, not } = when;
  const of = [
    ...tests.map(({ test, place }) => placed(test, ...place)),
    ...all.map((keys, index) => inner(keys, "all", index)),
    ...(any === undefined
      ? []
      : [placed({ kind: "some", of: any.map((keys, index) => inner(keys, "any", index)) }, "any")]),
    ...(not === undefined ? [] : [placed({ kind: "not", of: inner(not, "not") }, "not")]),
  ];
  const [only, ...others] = of;
  return only !== undefined && others.length === 0 ? only : placed({ kind: "all", of });
}
