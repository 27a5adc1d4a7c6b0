import { createByteBudget } from "../../src/job/listing/byte-budget.ts";
import { createPageMemory, type PageMemory } from "../../src/job/listing/limit-page-memory.ts";

/** Room for any page that a test lists. */
export function amplePageMemory(): PageMemory {
  return createPageMemory({
    budget: createByteBudget(4_294_967_296),
    shares: 1,
    maxAnswerBytes: 67_108_864,
    collectGarbage: () => undefined,
  });
}
