import type { Core } from "../../../job/door.ts";
import {
  noteFailure,
  quietFailure,
  type NoteOrder,
  type Quieted,
  type QuietOrder,
} from "../../operations/failures/marks.ts";
import type { Io } from "../io.ts";
import { toJsonLine } from "../output/json.ts";
import { printSaid } from "../output/print.ts";

export interface Json {
  readonly json?: boolean;
}

export async function runNote(core: Core, id: string, order: NoteOrder & Json, io: Io): Promise<void> {
  for (const { source, subject } of await noteFailure(core, id, order)) {
    const said = `noted on ${subject}`;
    printSaid(io, said);
    if (order.json === true) io.out(toJsonLine({ id, source, said }));
  }
}

export async function runQuiet(core: Core, id: string, order: QuietOrder & Json, io: Io): Promise<void> {
  for (const one of await quietFailure(core, id, order)) {
    const said = toLine(one);
    printSaid(io, said);
    if (order.json === true) io.out(toJsonLine({ id, source: one.source, state: one.kind, said }));
  }
}

function toLine(one: Quieted): string {
  switch (one.kind) {
    case "quiet":
      return `quiet until ${one.end}: ${one.subject}`;
    case "no-longer-quiet":
      return `no longer quiet: ${one.subject}`;
    case "was-not-quiet":
      return `was not quiet: ${one.subject}`;
  }
}
