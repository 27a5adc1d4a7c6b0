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

/** The end of the year 9999. Ids of records that enter behind all others have room above it. */
const latestSeededMs = Date.UTC(10_000, 0) - 1;

/** The place that a record put there directly asks for; undefined for an id that it cannot have. */
export function parseSeedId(text: string): Position | undefined {
  const position = parseDlqId(text);
  return position !== undefined && position.ms <= latestSeededMs ? position : undefined;
}

// Nine digits, as `parseDlqId` reads them.
const maxSeq = 999_999_999;

/** The next id in the same millisecond, or the first of the next one where that has no more. */
export const positionBehind = ({ ms, seq }: Position): Position =>
  seq < maxSeq ? { ms, seq: seq + 1 } : { ms: ms + 1, seq: 0 };

const encode = (text: string): string => Buffer.from(text).toString("base64url");
const decode = (cursor: string): string => Buffer.from(cursor, "base64url").toString("latin1");

/** A cursor is the position of the last record seen, so records may vanish behind it. Opaque to clients. */
export const formatCursor = (position: Position): string => encode(`after:${formatDlqId(position)}`);

export const parseCursor = (text: string): Position | undefined =>
  parseDlqId(/^after:(.*)/.exec(decode(text))?.[1] ?? "");

/** A cursor that counts the records before it instead: what vanishes there shifts all that follow. */
export const formatOffsetCursor = (records: number): string => encode(`skip:${records}`);

export function parseOffsetCursor(text: string): number | undefined {
  const records = /^skip:(\d{1,9})$/.exec(decode(text))?.[1];
  return records === undefined ? undefined : Number(records);
}
