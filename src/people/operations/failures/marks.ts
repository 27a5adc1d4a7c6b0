/** What people write down about a kind of failure, in each source that has met it. */
import { z } from "zod";
import { type BuiltSource, recordIntent } from "../../../job/door.ts";
import type { AuditEntry } from "../../../job/contracts/audit.ts";
import { systemClock } from "../../../system-world.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { readFailureViews } from "../../read/read-failures.ts";
import type { Did, OperationCall } from "../define.ts";
import { toDestinationText } from "../destination-text.ts";
import { present } from "../phrases.ts";
import { chooseFailures, sourceOf } from "./choose.ts";

export const markRow = z.object({
  id: z.string(),
  source: z.string(),
  state: z.enum(["noted", "quiet", "no-longer-quiet", "was-not-quiet", "acknowledged", "open"]),
  said: z.string(),
});

export const markActs = ["note", "quiet", "unquiet", "acknowledge", "unacknowledge"] as const;

type MarkRow = z.output<typeof markRow>;

/** What is written down, after the audit has it. `why`: its parts. */
interface Mark extends Pick<MarkRow, "state" | "said"> {
  readonly act: (typeof markActs)[number];
  readonly why: readonly string[];
  readonly write: () => Promise<unknown>;
}

/** `subject`: `failure 1f2e3d4c5b of pay.example.com, 503 upstream is not there`. */
export async function* markEach(
  { core, by }: Pick<OperationCall<unknown>, "core" | "by">,
  id: string,
  mark: (source: BuiltSource, failure: FailureView, subject: string) => Mark,
): AsyncGenerator<Did<MarkRow>> {
  for (const failure of chooseFailures(await readFailureViews(core, systemClock.now()), id)) {
    const subject = `${toSubjectStart(id)}${toDestinationText(failure.origin)}, ${toAnswerText(failure)}`;
    const source = sourceOf(core, failure);
    const { act, why, write, state, said } = mark(source, failure, subject);
    await recordIntent({ ...source.runtime, by }, act, [], { drain: null, why: present(why).join("; ") });
    await write();
    yield { said, row: { id, source: failure.source, state, said } };
  }
}

export function isAboutFailure({ act, why }: Pick<AuditEntry, "act" | "why">, id: string): boolean {
  return markActs.some((one) => one === act) && why?.startsWith(toSubjectStart(id)) === true;
}

function toSubjectStart(id: string): string {
  return `failure ${id} of `;
}
