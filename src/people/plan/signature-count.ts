import type { DeadLetter } from "../../job/message/dead-letter.ts";
import { defined } from "../../job/message/defined.ts";
import { hostOf } from "../../job/message/destination-url.ts";
import { toPrintable, type Show } from "../../job/message/show-masked-values.ts";
import type { Decision } from "../../job/rules/decision.ts";
import { signatureOf, type Signature } from "../../job/message/signature/signature-of.ts";
import { createTopCount } from "./top-count.ts";

const maxSignatures = 1_000;
const maxHosts = 50;
const topSignatures = 20;
const topHosts = 3;

export type SignatureCounts = ReturnType<ReturnType<typeof createSignatureCount>["counts"]>;

/** Counts failures that are alike: same status, and the same answer without the varying parts. */
export function createSignatureCount(show: Show) {
  const kinds = createTopCount<string>(maxSignatures);
  const known = new Map<string, ReturnType<typeof createOne>>();
  const createOne = (letter: DeadLetter, signature: Signature) => ({
    signature,
    hosts: createTopCount<string>(maxHosts),
    decisions: createTopCount<Decision["then"]>(10),
    /** Only if content is shown: the answer of the first of them, at most 200 characters. */
    example: show === "content" ? toPrintable(letter.responseBody) : undefined,
  });
  return {
    add(letter: DeadLetter, then: Decision["then"]): void {
      const signature = signatureOf(letter);
      kinds.add(signature.key);
      if (!known.has(signature.key) && known.size >= maxSignatures) return;
      const one = known.get(signature.key) ?? createOne(letter, signature);
      known.set(signature.key, one);
      one.hosts.add(hostOf(letter.url));
      one.decisions.add(then);
    },
    /** Most frequent first. */
    counts() {
      const { top, more } = kinds.top(topSignatures);
      return {
        top: top.flatMap(({ key, count }) => {
          const one = known.get(key);
          if (one === undefined) return [];
          const { signature, hosts, decisions, example } = one;
          const counted = { count, hosts: hosts.top(topHosts), decisions: decisions.top(10).top };
          return [{ ...signature, ...counted, ...defined({ example }) }];
        }),
        more,
      };
    },
  };
}
