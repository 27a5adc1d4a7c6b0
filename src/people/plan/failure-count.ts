import type { DeadLetter } from "../../job/message/dead-letter.ts";
import { defined } from "../../job/message/defined.ts";
import { failureKindOf, type FailureKind } from "../../job/message/failure-kind.ts";
import { toPrintable, type Show } from "../../job/message/show-masked-values.ts";
import type { Decision } from "../../job/rules/decision.ts";
import { createTopCount } from "./top-count.ts";

const maxKinds = 1_000;
const topKinds = 20;

/** Counts the records of a plan by their kind of failure, in bounded memory. */
export function createFailureCount(show: Show) {
  const kinds = createTopCount<string>(maxKinds);
  const known = new Map<string, ReturnType<typeof createOne>>();
  const createOne = (kind: FailureKind, letter: DeadLetter) => ({
    kind,
    decisions: createTopCount<Decision["then"]>(10),
    /** Only if content is shown: the answer of the first of them, at most 200 characters. */
    example: show === "content" ? toPrintable(letter.responseBody) : undefined,
  });
  return {
    add(letter: DeadLetter, then: Decision["then"]): void {
      const kind = failureKindOf(letter);
      kinds.add(kind.id);
      if (!known.has(kind.id) && known.size >= maxKinds) return;
      const one = known.get(kind.id) ?? createOne(kind, letter);
      known.set(kind.id, one);
      one.decisions.add(then);
    },
    counts() {
      const { top, more } = kinds.top(topKinds);
      return {
        top: top.flatMap(({ key, count }) => {
          const one = known.get(key);
          if (one === undefined) return [];
          const { kind, decisions, example } = one;
          return [{ ...kind, count, decisions: decisions.top(10).top, ...defined({ example }) }];
        }),
        more,
      };
    },
  };
}
