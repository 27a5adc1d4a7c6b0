import type { LedgerView } from "../../../job/contracts/ledger-entries.ts";
import { toTime } from "../phrases.ts";

export function toLedgerText(view: LedgerView | string): string {
  if (typeof view === "string") return `not asked: ${view}`;
  switch (view.state) {
    case "absent":
      return "nothing is known under this id";
    case "cool":
      return `cool until ${toTime(view.dueAt)}${view.released === false ? "" : `, released ${view.released}`}`;
    case "open":
      return `${view.unknown ? "in doubt" : "in flight"} since ${toTime(view.lastAt)}, drain ${view.drain}`;
    case "published":
      return `published as ${view.as}, not deleted yet`;
    case "archived":
      return `archived in ${view.file}, not deleted yet`;
    case "gone":
      return "gone: deleted, once its publish or its copy was proved";
    case "parked":
      return `parked: ${view.reason}, drain ${view.drain}`;
    case "other-version":
      return "another version of redriver wrote what is known of it";
  }
}
