import { type BuiltSource, listOne } from "../../../job/door.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import { isRedriverError } from "../../../job/contracts/errors.ts";
import { failed, judgeClock, messageOf, ok, warning, type DoctorFinding } from "./finding.ts";

/** No dead letter has this id: its time is 1970. */
const nobody = "0-0" as DlqId;

/** Its token may list; may also delete, if a drain of it is live. Its clock is ours. */
export async function lookAtSource(
  name: string,
  { service }: BuiltSource,
  isLive: boolean,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const subject = `source ${name}`;
  const findings: DoctorFinding[] = [];
  try {
    await listOne(service, signal);
  } catch (error) {
    return [failed(subject, messageOf(error))];
  }
  findings.push(ok(subject, "its token may list the dead letter queue"));
  const offMs = service.clockOffsetMs();
  if (offMs !== undefined) findings.push(judgeClock(subject, "its", offMs));
  findings.push(isLive ? await lookAtWriteRights(subject, service, signal) : withoutLiveDrain(subject));
  return findings;
}

function withoutLiveDrain(subject: string): DoctorFinding {
  return ok(subject, "none of its drains is live, so a token that only reads is enough");
}

/** Asks for the delete of a dead letter that nobody has. A token that only reads is refused. */
async function lookAtWriteRights(
  subject: string,
  service: BuiltSource["service"],
  signal: AbortSignal,
): Promise<DoctorFinding> {
  try {
    await service.remove([nobody], signal);
    return ok(subject, "its token may delete, so it may publish");
  } catch (error) {
    const code = isRedriverError(error) ? error.code : null;
    if (code === "unauthorised") {
      return failed(subject, `a drain of it is live, and its token may not delete: ${messageOf(error)}`);
    }
    // It read the call, and knows no such dead letter.
    if (code === "source-misconfigured" || code === "request-refused") {
      return ok(subject, "its token may delete, so it may publish");
    }
    return warning(subject, `it is not known if its token may delete: ${messageOf(error)}`);
  }
}
