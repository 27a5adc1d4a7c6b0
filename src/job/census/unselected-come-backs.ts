import type { DrainConfig } from "../contracts/drains-document.ts";
import type { Census, UnselectedKind } from "../contracts/source-book.ts";
import { earlier } from "../contracts/tally.ts";
import { countActs } from "../failures/count-acts.ts";
import { FailureTally } from "../failures/count-failures.ts";
import { ruleIdsOf } from "../failures/shared-letters.ts";
import { toComeBackFields, toLaneComeBack } from "../lanes/come-back-from-record.ts";
import { hostOf } from "../message/destination-url.ts";
import { unreadableKind, type FailureKind } from "../message/failure-kind.ts";
import { slowDownHosts, toFailedAgain } from "../page/failed-again.ts";
import type { Letter } from "../page/letter.ts";
import { recognise, writeEvidence } from "../page/look-up.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Kinds, and pairs of host and status, beyond this many are counted only in the total. */
const maxGroups = 1_000;
const shownGroups = 3;
const shownKinds = 50;

export function countStrays() {
  const groups = new Map<string, { host: string; status: number | null; count: number }>();
  const kinds = new Map<string, UnselectedKind>();
  let count = 0;
  const addKind = (kind: FailureKind, enteredAt: number | null, by = 1, of = {}): void => {
    const { count: before = 0, since = null } = kinds.get(kind.id) ?? {};
    if (kinds.size < maxGroups || before > 0) {
      kinds.set(kind.id, { ...kind, ...of, count: before + by, since: earlier(since, enteredAt) });
    }
  };
  return {
    add(letters: readonly Letter[], unreadable: number): void {
      if (unreadable > 0) addKind(unreadableKind, null, unreadable);
      for (const { reading, content, dlqId, failure, enteredAt, responseStatus: status = null } of letters) {
        addKind(failure, enteredAt, 1, { sample: dlqId });
        if (reading.kind !== "come-back") continue;
        count += 1;
        const host = hostOf(content.url);
        const key = JSON.stringify([host, status]);
        const group = groups.get(key);
        if (group !== undefined) group.count += 1;
        else if (groups.size < maxGroups) groups.set(key, { host, status, count: 1 });
      }
    },
    counted: (): Pick<Census, "strayComeBacks" | "unselectedKinds"> => ({
      strayComeBacks: { count, top: mostOf(groups, shownGroups) },
      unselectedKinds: mostOf(kinds, shownKinds),
    }),
  };
}

function mostOf<One extends { readonly count: number }>(all: ReadonlyMap<string, One>, most: number): One[] {
  return [...all.values()].toSorted((one, other) => other.count - one.count).slice(0, most);
}

/** Tells of come-backs as a page does, each once. Drains that only plan learn nothing. Throws `redis-unavailable`. */
export async function noteStrays(
  source: SourceRuntime,
  drains: readonly DrainConfig[],
  letters: readonly Letter[],
): Promise<void> {
  await recognise(source, letters);
  const live = drains.filter(({ mode }) => mode === "live");
  if (live.length === 0) return;
  const isNew = await writeEvidence(source, letters);
  await source.lanes.recordComeBacks(isNew.flatMap(toLaneComeBack));
  for (const config of live) {
    const rules = ruleIdsOf(config);
    const sent = isNew.filter(({ parentRule }) => parentRule !== null && rules.has(parentRule));
    if (sent.length === 0) continue;
    await slowDownHosts({ config, source }, sent.flatMap(toFailedAgain));
    const failures = new FailureTally();
    for (const letter of sent) failures.failedAgain(letter);
    await countActs({ source, config }, failures);
    const of = { drain: config.name, source: source.config.id };
    source.events.emit({ type: "record:come-back", ...of, records: sent.flatMap(toComeBackFields) });
  }
}
