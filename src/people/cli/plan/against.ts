/** `redriver plan --against`: what another document decides differently of the same queue. Changes nothing. */
import type { Command } from "commander";
import { type Core, type DrainRuntime, freezeRange, openLedger } from "../../../job/door.ts";
import type { ArchiveDamage } from "../../../job/contracts/archive.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { systemClock } from "../../../system-world.ts";
import { damagesOf } from "../../plan/archived-letters.ts";
import { compareDocuments, type Decided, type DifferenceGroup } from "../../plan/compare-documents.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import { requireArchive, toOrdered } from "../../operations/plans/discard.ts";
import { unknownDrain } from "../../operations/choose-drains.ts";
import { toDamageText, toDecisionText, toLost } from "../../operations/plans/decision-text.ts";
import { counted, joined, number, toTime } from "../../operations/phrases.ts";
import type { CommandContext } from "../io.ts";
import { createStop, withCore } from "../with-core.ts";
import { loadAll, loadOther } from "../load-config.ts";
import { toAnswerText } from "../output/fields-text.ts";
import { printResult } from "../output/print.ts";
import { createProgressLine } from "../output/progress.ts";
import { toFailureRows } from "./text.ts";

interface Asked {
  /** None: each drain of either document. */
  readonly names: readonly string[];
  /** A file, or `current`: the document of the settings. */
  readonly against: string;
  /** Of the archive, or empty. */
  readonly filter: PlanFilter;
}

export async function planAgainst(
  { names, against, filter }: Asked,
  isJson: boolean | undefined,
  command: Command,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const loaded = loadAll(command, io);
  const other = loadOther(command, io, against);
  const options = { closeWithinMs: 5_000 };
  const report = await withCore(io, loaded, options, (opened, teardown) =>
    withCore(io, other, options, async (openedToo) => {
      const stop = createStop(io, teardown);
      const [core, old] = [await openLedger(opened), await openLedger(openedToo)];
      requireArchive(core, filter);
      const progress = createProgressLine(io);
      const drains: DrainDifferences[] = [];
      const read: DrainRuntime[] = [];
      try {
        for (const name of chooseNames(core, old, names)) {
          // Both read the archive of this document.
          const [drain = null, its = null] = [core.drains.get(name), old.drains.get(name)].map(
            (one) => one && toOrdered(core, one, filter),
          );
          read.push(...[drain, its].filter((one) => one !== null));
          const range = await freezeRange((drain ?? its)!, stop.signal);
          const at = systemClock.now() + range.clock.serviceAheadMs;
          const onPage = (listed: number): void => progress.show(`${name}: ${number(listed)} read`);
          const compared = { drain, against: its, range, at, signals: stop, onPage };
          drains.push({ drain: name, ...(await compareDocuments(compared)) });
        }
      } finally {
        progress.end();
      }
      const hashes = { documentHash: core.document.hash, againstHash: old.document.hash };
      return { at: systemClock.now(), ...hashes, complete: true, drains, damaged: damagesOf(read) };
    }),
  );
  const { damaged, ...whole } = report;
  printResult(io, isJson, damaged.length === 0 ? whole : report, () => toText(io.columns, report));
  if (damaged.length > 0) exitWith(1);
}

function chooseNames(core: Core, other: Core, names: readonly string[]): readonly DrainName[] {
  const known = [...new Set([...core.drains.keys(), ...other.drains.keys()])];
  const unknown = names.find((name) => !known.includes(name as DrainName));
  if (unknown !== undefined) throw unknownDrain(unknown, known);
  return names.length === 0 ? known : (names as readonly DrainName[]);
}

type DrainDifferences = Awaited<ReturnType<typeof compareDocuments>> & { readonly drain: string };

interface AgainstReport {
  readonly at: number;
  readonly documentHash: string;
  readonly againstHash: string;
  readonly damaged: readonly ArchiveDamage[];
  readonly drains: readonly DrainDifferences[];
}

function toText(columns: number, { at, documentHash, againstHash, damaged, drains }: AgainstReport): string {
  return joined(
    `Document ${documentHash.slice(0, 12)} against ${againstHash.slice(0, 12)}, ${toTime(at)}. ${toLost(damaged)}Nothing was changed.\n`,
    ...damaged.map((one) => `damaged: ${toDamageText(one)}\n`),
    ...drains.map(({ drain, listed, different, groups }) => {
      const heading = `${drain}: ${different === 0 ? "none" : number(different)} of ${counted(listed, "record")} ${different === 1 ? "is" : "are"} decided otherwise`;
      return `\n${toAnswerText(columns, heading, Object.fromEntries(groups.map(toGroup)), at)}`;
    }),
  );
}

function toGroup(group: DifferenceGroup) {
  const { before, after, isSentOtherwise, count, failures, moreFailures, samples } = group;
  const change = isSentOtherwise
    ? `${toSideText(after)}, but sent differently or at another time`
    : `${toSideText(before)} → ${toSideText(after)}`;
  const fields = { "such as": samples, failures: toFailureRows(failures, moreFailures) };
  return [`${number(count)}  ${change}`, fields] as const;
}

function toSideText(decided: Decided): string {
  return decided === null ? "not selected" : toDecisionText(decided);
}
