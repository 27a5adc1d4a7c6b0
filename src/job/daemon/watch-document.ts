/**
 * Reads the drains document's file and adopts its content, whole or not at all.
 *
 *   unchanged ──content differs, twice the same──► load ──► in force
 *                                                   └────► rejected: reported once, the old one stays in force
 *
 * The content is compared, not the file: a ConfigMap is swapped by a symlink above it.
 */
import { createHash } from "node:crypto";
import type { DocumentFile } from "../../config/document/load-document.ts";
import type { LiveCore } from "../compose/live-core.ts";
import type { Clock } from "../contracts/clock.ts";
import type { DrainsDocument } from "../contracts/drains-document.ts";
import { isRedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { ReplicaRecord } from "../contracts/replicas.ts";

/** Half of a document that an editor is writing may be a document too; it is read again after this. */
const settleMs = 300;

export interface DocumentWatchParts {
  readonly documentFile: DocumentFile;
  /** What the document in force was loaded from: it is not loaded again. */
  readonly documentText: string;
  readonly live: LiveCore;
  readonly clock: Clock;
  readonly events: Events;
  readonly onAdopted: (document: DrainsDocument) => void;
  /** Aborts when the daemon is to stop, with the reason. */
  readonly stop: AbortSignal;
}

type Verdict =
  | { readonly kind: "in-force"; readonly before: string; readonly warnings: readonly string[] }
  /** `again`: the same text may be adopted later, once the things it refers to exist. */
  | { readonly kind: "rejected"; readonly problems: readonly string[]; readonly again: boolean };

export function createDocumentWatch(parts: DocumentWatchParts) {
  const { documentFile: file, documentText: text, live, clock, events, onAdopted, stop } = parts;
  let state: Pick<ReplicaRecord, "adoptedAt" | "rejected"> = { adoptedAt: clock.now(), rejected: null };
  /** Hash of the content that was judged last and need not be judged again; null: the next one is. */
  let judged: string | null = toKey({ ok: true, text });
  /** One look at a time: two would adopt the same text twice. */
  let looking: Promise<unknown> = Promise.resolve();

  function judge(reading: ReturnType<DocumentFile["read"]>): Verdict {
    if (!reading.ok) {
      const problem = `${file.path}: expected a readable drains document: ${reading.why}`;
      return { kind: "rejected", problems: [problem], again: false };
    }
    const loaded = file.load(reading.text, clock.now());
    if (!loaded.ok) return { kind: "rejected", problems: loaded.problems, again: false };
    const before = live.current().document.hash;
    try {
      if (loaded.document.hash !== before) live.adopt(loaded.document);
    } catch (error) {
      if (!isRedriverError(error)) throw error;
      return { kind: "rejected", problems: [error.message], again: true };
    }
    return { kind: "in-force", before, warnings: loaded.warnings };
  }

  function note(verdict: Verdict, isAsked: boolean): "changed" | "unchanged" {
    const { document } = live.current();
    const { hash } = document;
    if (verdict.kind === "rejected") {
      const rejected = verdict.problems.join("\n");
      if (rejected === state.rejected && !isAsked) return "unchanged";
      state = { ...state, rejected };
      events.emit({ type: "document:rejected", hash, problems: verdict.problems });
      return "changed";
    }
    const { before, warnings } = verdict;
    const at = clock.now();
    state = { adoptedAt: before === hash ? state.adoptedAt : at, rejected: null };
    if (before !== hash) onAdopted(document);
    events.emit({ type: "document:adopted", hash, before, at, warnings });
    return "changed";
  }

  async function readAndJudge(isAsked: boolean): Promise<"changed" | "unchanged"> {
    const key = toKey(file.read());
    if (key === judged && !isAsked) return "unchanged";
    if (key !== judged) await clock.sleep(settleMs, stop).catch(() => undefined);
    if (stop.aborted) return "unchanged";
    const reading = file.read();
    if (toKey(reading) !== key) return "unchanged";
    const verdict = judge(reading);
    judged = verdict.kind === "rejected" && verdict.again ? null : key;
    return note(verdict, isAsked);
  }

  return {
    state: () => state,
    /** `asked`: somebody wants the verdict now, also of what was judged before. */
    look(why: "by-time" | "asked" = "by-time"): Promise<"changed" | "unchanged"> {
      const look = looking.then(() => readAndJudge(why === "asked"));
      looking = look.catch(() => undefined);
      return look;
    },
  };
}

function toKey(reading: ReturnType<DocumentFile["read"]>): string {
  if (!reading.ok) return `unreadable: ${reading.why}`;
  return createHash("sha256").update(reading.text).digest("hex");
}
