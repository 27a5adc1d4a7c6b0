import { loadDocument } from "../../src/config/document/load-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import type { RawRecord } from "../../src/job/message/dead-letter.ts";
import { factsOf } from "./letters.ts";
import { withDrain } from "./loaded-document.ts";

/** What becomes of a document with one rule of this `when`, in one line. */
export function loadWhen(when: string) {
  const outcome = loadDocument(withDrain("rules:", `  - { when: ${when}, then: park }`), "drains.yaml");
  return {
    problems: outcome.ok ? [] : outcome.problems.map(formatProblem),
    warnings: outcome.warnings.map(formatProblem),
    /** True if its rule decides this record. */
    matches(record: RawRecord): boolean {
      const drain = outcome.ok ? outcome.document.drains[0] : undefined;
      if (drain === undefined) throw new Error(`the document does not load: ${when}`);
      return drain.route(factsOf(record)).rule !== null;
    },
  };
}
