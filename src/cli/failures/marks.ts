import type { Core } from "../../compose/build-core.ts";
import {
  noteFailure,
  quietFailure,
  type NoteOrder,
  type Quieted,
  type QuietOrder,
} from "../../operations/failures/marks.ts";
import type { Io } from "../io.ts";

export async function runNote(core: Core, id: string, order: NoteOrder, io: Io): Promise<void> {
  for (const { subject } of await noteFailure(core, id, order)) io.err(`noted on ${subject}\n`);
}

export async function runQuiet(core: Core, id: string, order: QuietOrder, io: Io): Promise<void> {
  for (const one of await quietFailure(core, id, order)) io.err(`${toLine(one)}\n`);
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
