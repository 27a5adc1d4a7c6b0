/** Where a dead letter stands: the moment of its entry and a number within that millisecond. */
export interface Position {
  readonly ms: number;
  readonly seq: number;
}

export const comparePositions = (a: Position, b: Position): number => a.ms - b.ms || a.seq - b.seq;

export const formatDlqId = ({ ms, seq }: Position): string => `${ms}-${seq}`;

export function parseDlqId(text: string): Position | undefined {
  const match = /^(\d{1,15})-(\d{1,9})$/.exec(text);
  if (match === null) return undefined;
  const position = { ms: Number(match[1]), seq: Number(match[2]) };
  // "01-0" must not name the record "1-0".
  return formatDlqId(position) === text ? position : undefined;
}

/** A cursor is the position of the last record seen, so records may vanish behind it. Opaque to clients. */
export const formatCursor = (position: Position): string =>
  Buffer.from(`after:${formatDlqId(position)}`).toString("base64url");

export function parseCursor(text: string): Position | undefined {
  const decoded = Buffer.from(text, "base64url").toString("latin1");
  return decoded.startsWith("after:") ? parseDlqId(decoded.slice("after:".length)) : undefined;
}
