/** A plan that needs the archive, to discard into it or to publish from it. It is made and applied as any other. */
import type { Core, DrainRuntime } from "../../../job/door.ts";
import { openArchivedLetters } from "../../plan/archived-letters.ts";
import { misused, planRefused } from "../../../job/contracts/errors.ts";
import type { PlanFilter, PlanVerdict } from "../../../job/contracts/plans.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import { number } from "../phrases.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { chooseDrains } from "../choose-drains.ts";
import { requireFailure } from "../failures/choose.ts";

type OfArchive = { readonly document: Pick<Core["document"], "archive"> };

/** Throws `plan-refused` if a plan to discard or from the archive has none, or both are asked for. */
export function requireArchive(
  { document, ledger }: OfArchive & Pick<Core, "ledger">,
  { discard, fromArchive }: PlanFilter,
): void {
  if (discard === undefined && fromArchive === undefined) return;
  if (document.archive === undefined) {
    const which = fromArchive === undefined ? "what is discarded is archived first, and the" : "the";
    throw planRefused(`${which} document has no archive; expected archive: { dir: … } at its top`);
  }
  if (fromArchive === undefined) return;
  if (discard !== undefined) throw planRefused("what is archived cannot be discarded");
  if (ledger === "none") {
    throw planRefused("without a ledger nobody knows what of the archive was published");
  }
}

export function toOrdered(
  core: Core,
  drain: DrainRuntime,
  { discard, fromArchive }: PlanFilter,
  why = "",
): DrainRuntime {
  const { archive } = core.document;
  if (fromArchive !== undefined && archive !== undefined) {
    return { ...drain, fromArchive: openArchivedLetters(core, drain, archive) };
  }
  return discard === undefined ? drain : { ...drain, discard: { why } };
}

/** For the audit: the plan, and the person's reason. Throws `command-misused` for a discard without one. */
export function toWhyOrdered({ discard }: PlanFilter, id: string, reason = ""): string {
  if (discard !== undefined && reason.trim() === "") {
    throw misused("a discard needs a reason (--reason)");
  }
  return reason === "" ? `plan ${id}` : `plan ${id}: ${reason}`;
}

export function toDiscardWarning({ document: { archive } }: OfArchive, count: number): string {
  const all = count === 1 ? "This one is" : `All ${number(count)} are`;
  const where = archive === undefined ? "the archive, which the document has not" : archive.dir;
  return `${all} archived in ${where} first, then deleted from the queue: nothing of it is sent again.`;
}

const idsPerPeek = 100;

/** Of the ledger: it knows what an apply before has discarded, and what was sent by another before its turn. */
export async function toDiscardVerdict(
  { source: { ledger } }: DrainRuntime,
  orders: ReadonlyMap<DlqId, unknown>,
  dir: string,
): Promise<PlanVerdict> {
  const ids = [...orders.keys()];
  let discarded = 0;
  let published = 0;
  for (let from = 0; from < ids.length; from += idsPerPeek) {
    for (const view of (await ledger.peek(ids.slice(from, from + idsPerPeek))).views) {
      const isGone = view.state === "gone";
      if (view.state === "archived" || (isGone && view.wasArchived === true)) discarded += 1;
      else if (view.state === "published" || isGone) published += 1;
    }
  }
  const of = discarded === ids.length ? "" : ` of ${number(ids.length)}`;
  const others = published === 0 ? "" : `, ${number(published)} published before and only deleted`;
  const where = discarded === 0 ? "" : `; archived in ${dir}`;
  const told = { state: "told", sent: 0, cameBack: 0, delivered: 0, silent: 0, failures: [] } as const;
  return { ...told, discarded, isBad: false, text: `${number(discarded)}${of} discarded${others}${where}` };
}

/** The drains of a plan. Throws `command-misused` for a name, rule or kind that is none, and as `requireArchive`. */
export async function requireSelection(
  core: Core,
  names: readonly DrainName[],
  { rules = [], failure, ...filter }: PlanFilter,
): Promise<readonly DrainRuntime[]> {
  const drains = chooseDrains(core, names);
  requireRules(drains, rules);
  requireArchive(core, filter);
  const sources = drains.map(({ config }) => config.source.id);
  if (core.ledger === "there" && failure !== undefined) await requireFailure(core, sources, failure);
  return drains;
}

/** A mistyped rule would select nothing, which looks like good news. Throws `command-misused`. */
export function requireRules(drains: readonly DrainRuntime[], rules: readonly string[]): void {
  const known = new Set(drains.flatMap(({ config }) => config.rules.map(({ name }) => name)));
  const unknown = rules.find((rule) => !known.has(rule));
  if (unknown === undefined) return;
  const have = [...known].join(", ") || "none";
  throw misused(`no rule of these drains is named "${unknown}"; they have ${have}`);
}
