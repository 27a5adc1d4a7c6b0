import { lookAtVolume } from "../../../job/compose/open-archive.ts";
import type { ArchiveConfig } from "../../../job/contracts/drains-document.ts";
import { failed, ok, warning, type DoctorFinding } from "./finding.ts";

const subject = "archive";

/** Its directory can be written, and is on a volume that lasts. Writes nothing. */
export async function lookAtArchive(config: ArchiveConfig): Promise<DoctorFinding> {
  const seen = await lookAtVolume(config);
  if (seen === null) return warning(subject, `${config.dir}: what kind of volume it is on cannot be read`);
  if (seen.verdict === "fit") return ok(subject, `${config.dir} can be written`);
  return seen.verdict === "unfit" ? failed(subject, seen.complaint) : warning(subject, seen.complaint);
}
