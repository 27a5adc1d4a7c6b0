/**
 * `20260801T120304.567Z-redriver-7d9f-1-3.ndjson.gz`: UTC time of opening, host or pod, process id, count within the process. Names
 * sort by time. A probe has the same name with `.probe` at its end, so that a forgotten one is known as the archive's own.
 */
const pattern =
  /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2}\.\d{3})Z-[A-Za-z0-9.]+(?:-[A-Za-z0-9.]+)*-\d+-\d+\.(ndjson\.gz|probe)$/;

/** A pod's name may be 253 characters long and a file's 255; what tells pods apart is at the end. */
const maxOwnerLength = 120;

export interface Writer {
  /** Host or pod. */
  readonly owner: string;
  readonly pid: number;
}

export function toFileName(
  at: number,
  { owner, pid }: Writer,
  count: number,
  kind: "archive" | "probe",
): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]/g, "");
  const ending = kind === "archive" ? "ndjson.gz" : "probe";
  return `${time}-${toPlain(owner)}-${pid}-${count}.${ending}`;
}

export interface OwnName {
  readonly kind: "archive" | "probe";
  /** Unix ms. */
  readonly openedAt: number;
}

/** What a name of the archive's own naming says; null for any other. */
export function parseFileName(name: string): OwnName | null {
  const [, year, month, day, hour, minute, second, ending] = pattern.exec(name) ?? [];
  const openedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (ending === undefined || Number.isNaN(openedAt)) return null;
  return { kind: ending === "probe" ? "probe" : "archive", openedAt };
}

function toPlain(owner: string): string {
  const plain = owner
    .replaceAll(/[^A-Za-z0-9.]+/g, "-")
    .slice(-maxOwnerLength)
    .replaceAll(/^-+|-+$/g, "");
  return plain === "" ? "host" : plain;
}
