/** Records that cannot be read, but have an id: they are parked by it, so that a person finds them. */
import type { DlqId, UnusableRecord } from "../message/dead-letter.ts";
import { defined } from "../message/defined.ts";
import { enteredAtOfId } from "../message/parse-record.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { unreadableKind } from "../message/failure-kind.ts";
import type { DrainRuntime } from "../runtime.ts";
import { eachApart } from "./apart.ts";
import { absent } from "./letter.ts";
import type { PageReport } from "./page-report.ts";
import type { Unreadable } from "./parse-page.ts";
import { writeParked, type Parking } from "./park.ts";
import { putAside } from "./put-aside.ts";

/** What has no id is only counted, and so is one whose id the ledger has for a publication: the sweep ends that. */
export async function parkUnreadable(
  drain: DrainRuntime,
  { unusable, broken }: Unreadable,
  readAt: number,
  report: PageReport,
): Promise<void> {
  for (const { raw, error } of broken) await putAside(drain, report, raw, readAt, error);
  report.unusable(unusable.filter((one) => !hasId(one)));
  await eachApart(
    drain,
    unusable.filter(hasId),
    (some) => parkSome(drain, some, report),
    ({ dlqId, raw = { dlqId } }, error) => putAside(drain, report, raw, readAt, error),
  );
}

async function parkSome(drain: DrainRuntime, unusable: readonly UnusableWithId[], report: PageReport) {
  const { source, workerLostAt, config } = drain;
  const ids = unusable.map(({ dlqId }) => dlqId);
  const { views, at } = await source.ledger.look(ids, workerLostAt);
  const found = unusable.map((one, index) => ({ ...one, view: views[index] ?? absent }));
  const parkings = found.flatMap(({ dlqId, reason, view }): readonly Parking[] => {
    if (!mayPark(view) || view.state === "parked") return [];
    const attempt = view.state === "cool" ? view.attempt : 0;
    return [{ dlqId, reason, rule: null, attempt, failure: unreadableKind.id }];
  });
  if (config.mode === "live") await writeParked(drain, parkings, { seenAt: at });
  for (const one of found) {
    const { dlqId, problem, view, raw } = one;
    if (!mayPark(view)) {
      report.unusable([one]);
      continue;
    }
    const wasParked = view.state === "parked";
    const decision = { then: "park", reason: wasParked ? view.reason : one.reason, rule: null } as const;
    report.apart(
      { dlqId, enteredAt: enteredAtOfId(dlqId), ...defined({ raw }) },
      decision,
      wasParked,
      problem,
    );
  }
}

type UnusableWithId = UnusableRecord & { readonly dlqId: DlqId };

function hasId(one: UnusableRecord): one is UnusableWithId {
  return one.dlqId !== undefined;
}

function mayPark({ state }: LedgerView): boolean {
  return state === "absent" || state === "cool" || state === "parked";
}
