import type { PlanVerdict } from "../../../job/contracts/plans.ts";
import { number } from "../../operations/phrases.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { toOfNoDrain } from "../../read/of-no-drain.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { Foreign } from "./text.tsx";

/** By the id of a kind that has a page: that page, and its answer. */
export type KindPages = ReadonlyMap<string, { readonly href: string; readonly words: string }>;

export async function readKindPages({
  core,
  reads,
}: Pick<ScreenContext, "core" | "reads">): Promise<KindPages> {
  const [facts, failures] = await Promise.all([reads.facts(), reads.failures()]);
  const ofNoDrain = toOfNoDrain(core, facts, () => true).flatMap(({ source, kinds }) =>
    kinds.map((kind) => ({ kind, href: `/of-no-drain/${source}/${kind.id}` })),
  );
  // The last of a kind has it: where some are.
  const all = [
    ...failures.filter((kind) => !isThere(kind)).map(toListed),
    ...ofNoDrain,
    ...failures.filter(isThere).map(toListed),
  ];
  return new Map(all.map(({ kind, href }) => [kind.id, { href, words: toAnswerText(kind) }]));
}

function toListed(kind: FailureView) {
  return { kind, href: `/failures/${encodeURIComponent(kind.id)}` };
}

function isThere({ waiting, parked }: FailureView): boolean {
  return waiting + parked > 0;
}

/** Links to the kinds under which letters of an apply came back. One that no pass or census has met yet has no page. */
export function CameBackAs({
  kinds = [],
  pages,
}: Readonly<{ kinds?: PlanVerdict["kinds"]; pages: KindPages }>): Html | null {
  const known = kinds.flatMap(({ id, count }) => {
    const page = pages.get(id);
    return page === undefined ? [] : [{ count, ...page }];
  });
  if (known.length === 0) return null;
  return (
    <>
      {" "}
      They came back as{" "}
      {known.map(({ count, href, words }, at) => (
        <>
          {at === 0 ? "" : ", "}
          <a href={href}>
            <Foreign text={words} isWhole />
          </a>{" "}
          ({number(count)})
        </>
      ))}
      .
    </>
  );
}
