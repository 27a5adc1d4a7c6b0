import { z } from "zod";
import { groupBy } from "../../../group-items-by-key.ts";
import { defined } from "../../../job/message/defined.ts";
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { defineOperation, field, type OperationCall } from "../define.ts";
import { requireFailure } from "../failures/choose.ts";
import { countField, filter, flag, nameText, parkedFilter } from "../fields.ts";
import { createParkedCount } from "../parked/count.ts";
import { createOldest, visitParked, type FoundParked } from "../parked/find.ts";
import { findUseless, releaseParked } from "../parked/release.ts";
import { insteadOfRelease } from "../parked/next-step.ts";
import { counted, number } from "../phrases.ts";

const input = z.strictObject({
  dlqIds: field(z.array(nameText).min(1).max(1_000).optional(), {
    about: "only these dead letters",
    value: "dlqIds",
    isArgument: true,
  }),
  ...parkedFilter.shape,
  source: filter("only of this source", "id"),
  limit: countField("at most so many, the oldest first"),
  all: flag("everything that is parked"),
  anyway: flag("also those that would only be parked again"),
});

const row = z.object({
  released: z.number(),
  reasons: z
    .array(z.object({ drain: z.string(), reason: z.enum(parkReasons), count: z.number() }))
    .readonly(),
  notParked: z.array(z.string()).readonly(),
  useless: z.number().describe("Left parked, because they would only be parked again."),
});

type ReleaseInput = z.output<typeof input>;

export const release = defineOperation({
  words: "parked release",
  path: "/parked/release",
  title: "Release",
  role: "operator",
  reasonOf: "a release",
  about: "grant one more attempt to what is parked; the next pass makes it",
  needs: "rules",
  example: { drain: "orders", for: "rule", reason: "the rule is mended" },
  mayRefuse: true,
  input,
  check: requireChoice,
  checkReason: requireOwnReason,
  row,
  consentTo: "a release",
  foresee: choose,
  async *run({ core, by, reason }, { helped, notParked, useless }) {
    if (notParked.length > 0)
      yield { said: `not parked: ${notParked.join(", ")}`, row: null, isRefused: true };
    let released = 0;
    for (const { runtime } of core.sources.values()) {
      const own = helped.filter(({ source }) => source === runtime);
      released += await releaseParked({ ...runtime, by }, core.drains, own, reason);
    }
    const isRefused = released === 0 && notParked.length + useless > 0;
    const said =
      released > 0
        ? `released ${number(released)}; until the next pass decides them again, they count as parked`
        : isRefused
          ? "nothing was released"
          : "nothing to release";
    const reasons = reasonsOf(helped).map(({ drain, reason: why, count }) => ({ drain, reason: why, count }));
    yield { said, row: { released, reasons, notParked, useless }, isRefused };
  },
});

async function choose({
  core,
  input: { dlqIds: ids = [], limit = Infinity, anyway, ...filter },
  ...search
}: ChooseCall) {
  if (filter.failure !== undefined) await requireFailure(core, core.sources.keys(), filter.failure);
  const oldest = createOldest<FoundParked>(limit);
  await visitParked(core, { filter: defined(filter), ids, listing: "if-needed" }, search, (one) => {
    if (filter.source === undefined || one.source.config.id === filter.source) oldest.add(one);
  });
  const found = oldest.read();
  const notParked = ids.filter((id) => !found.some(({ dlqId }) => dlqId === id));
  const { reasons, unknown } = await findUseless(core, anyway === true ? [] : found, search);
  const helped = found.filter((one) => !reasons.has(one));
  const warnings = [...groupBy(reasons.values(), (why) => why)].map(
    ([why, { length }]) =>
      `${number(length)} would only be parked again for ${why}: ${insteadOfRelease(why)}`,
  );
  if (reasons.size > 0)
    warnings.push(
      `${counted(reasons.size, "is", "are")} left parked; anyway (--anyway) releases them all the same`,
    );
  if (unknown !== null) warnings.push(`whether a release helps could not be found out (${unknown})`);
  return {
    tells: reasonsOf(found).map(
      ({ drain, hasDrain, reason, count }) =>
        `${number(count)} parked for ${reason} by ${drain}${hasDrain ? "" : " (not in the document)"}`,
    ),
    warnings,
    question:
      helped.length === 0
        ? null
        : `Release ${helped.length}? Each is published once more, whatever parked it.`,
    found: { helped, notParked, useless: reasons.size },
  };
}

type ChooseCall = Pick<OperationCall<ReleaseInput>, "core" | "input" | "signal" | "stopping" | "onListed">;

function reasonsOf(parked: readonly FoundParked[]) {
  const counts = createParkedCount();
  parked.forEach(counts.add);
  return counts.read().reasons();
}

/** A release names what it means: everything is never meant by leaving something out. */
function requireChoice({
  dlqIds,
  all: everything,
  drain,
  host,
  rule,
  failure,
  ...input
}: ReleaseInput): void {
  const chooses = [dlqIds, drain, input.for, host, rule, failure].some((one) => one !== undefined);
  if ((everything === true) !== chooses) return;
  throw misused(
    "name dead letters or give --drain, --for, --host, --rule or --failure, or --all for everything that is parked, not both",
  );
}

/** A reason of parking as a person's reason is a mistyped `--for`, and would release everything else too. */
function requireOwnReason(reason: string): void {
  if (!parkReasons.some((one) => one === reason)) return;
  throw misused(`--reason says why you release; what is parked for ${reason} is chosen with --for ${reason}`);
}
