import { judgeVolume, toVolumeComplaint, type DeclaredVolume } from "../ports/archive.ts";
import { readVolume } from "./volume.ts";
import { whyUnwritable } from "./writable.ts";

export interface SeenVolume {
  readonly verdict: ReturnType<typeof judgeVolume>;
  /** The problem; empty if it is fit. */
  readonly complaint: string;
  /** True if the problem exists from everywhere, not only from here. */
  readonly isCertain: boolean;
}

/** The state of a volume from here. Null if it cannot be read: a write will report why. Writes nothing. */
export async function seeVolume(dir: string, declared: DeclaredVolume): Promise<SeenVolume | null> {
  const unwritable = await whyUnwritable(dir);
  if (unwritable !== null) {
    const { error, isCertain } = unwritable;
    return { verdict: "unfit", complaint: error.message, isCertain };
  }
  try {
    const seen = await readVolume(dir);
    const verdict = judgeVolume(seen, declared);
    return { verdict, complaint: verdict === "fit" ? "" : toVolumeComplaint(seen, dir), isCertain: false };
  } catch {
    return null;
  }
}
