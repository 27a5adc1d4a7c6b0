import type { DeadLetter } from "../../message/dead-letter.ts";
import { hostOf } from "../../message/destination.ts";
import { toPrintable, type Show } from "../../message/masked-text.ts";
import type { Decision } from "../../rules/decision.ts";
import { signatureOf, type Signature } from "../../message/signature/signature-of.ts";
import { createTopCount, type Counted, type TopCount, type TopCounted } from "./top-count.ts";

/** Failures that are alike: same status, and the same answer without the varying parts. */
export interface SignatureReport extends Signature {
  readonly count: number;
  readonly hosts: TopCounted<string>;
  readonly decisions: readonly Counted<Decision["then"]>[];
  /** Only if content is shown: the answer of the first of them, at most 200 characters. */
  readonly example?: string;
}

export interface SignatureCounts {
  /** Most frequent first. */
  readonly top: readonly SignatureReport[];
  readonly more: { readonly kinds: number; readonly count: number };
}

const maxSignatures = 1_000;
const maxHosts = 50;
const topSignatures = 20;
const topHosts = 3;

interface Building {
  readonly signature: Signature;
  readonly hosts: TopCount<string>;
  readonly decisions: TopCount<Decision["then"]>;
  readonly example: { readonly example?: string };
}

export function createSignatureCount(show: Show) {
  const kinds = createTopCount<string>(maxSignatures);
  const building = new Map<string, Building>();
  return {
    add(letter: DeadLetter, then: Decision["then"]): void {
      const signature = signatureOf(letter);
      kinds.add(signature.key);
      let one = building.get(signature.key);
      if (one === undefined) {
        if (building.size >= maxSignatures) return;
        one = {
          signature,
          hosts: createTopCount(maxHosts),
          decisions: createTopCount<Decision["then"]>(10),
          example: show === "content" ? { example: toPrintable(letter.responseBody) } : {},
        };
        building.set(signature.key, one);
      }
      one.hosts.add(hostOf(letter.url));
      one.decisions.add(then);
    },
    counts(): SignatureCounts {
      const { top, more } = kinds.top(topSignatures);
      return {
        top: top.flatMap(({ key, count }) => {
          const one = building.get(key);
          if (one === undefined) return [];
          const { signature, hosts, decisions, example } = one;
          const counted = { count, hosts: hosts.top(topHosts), decisions: decisions.top(10).top };
          return [{ ...signature, ...counted, ...example }];
        }),
        more,
      };
    },
  };
}
