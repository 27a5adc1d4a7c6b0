/**
 * `20260801T120304.567Z-redriver-7d9f-1-3.ndjson.gz`: UTC time of opening, host or pod, process id, count
 * within the process. Names sort by time.
 */
const pattern =
  /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2}\.\d{3})Z-[A-Za-z0-9.]+(?:-[A-Za-z0-9.]+)*-\d+-\d+\.ndjson\.gz$/;

/** A pod's name may be 253 characters long and a file's 255. Pods differ in the end of their names. */
const maxOwnerLength = 120;

export interface Writer {
  readonly owner: string;
  readonly pid: number;
}

export function toFileName(at: number, { owner, pid }: Writer, count: number): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]/g, "");
  return `${time}-${toPlain(owner)}-${pid}-${count}.ndjson.gz`;
}

/** When a file of the archive's own naming was opened, Unix ms; null for any other name. */
export function parseOpenedAt(name: string): number | null {
  const [, year, month, day, hour, minute, second] = pattern.exec(name) ?? [];
  const openedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(openedAt) ? null : openedAt;
}

function toPlain(owner: string): string {
  const plain = owner
    .replaceAll(/[^A-Za-z0-9.]+/g, "-")
    .slice(-maxOwnerLength)
    .replaceAll(/^-+|-+$/g, "");
  return plain === "" ? "host" : plain;
}
