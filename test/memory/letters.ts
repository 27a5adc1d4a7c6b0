import type { SeedRecord } from "../../dev/emulator/index.ts";

/**
 * `latin1`: V8 keeps a byte for a character of it. `wide`: one character beyond that makes it two for all of
 * them.
 */
export type Text = "latin1" | "wide";

export interface Letter {
  readonly id: string;
  readonly bodyBytes: number;
}

const hourMs = 3_600_000;
/** 4 s and more between the first and the last, or no window would ever be cut. */
const apartMs = 500;

export function toRecord({ id, bodyBytes }: Letter, url: string, text: Text, index: number): SeedRecord {
  const at = Date.now() - 6 * hourMs + index * apartMs;
  return {
    dlqId: `${at}-${index + 1}`,
    url,
    createdAt: at - 5_000,
    responseStatus: 503,
    body: toBody(id, bodyBytes, text),
  };
}

/**
 * A JSON text of that many bytes in UTF-8, with quotes that have to be escaped in what carries it, as JSON in
 * JSON has.
 */
export function toBody(id: string, bodyBytes: number, text: Text): string {
  const head = `{"id":"${id}","of":"${text === "wide" ? "日" : "day"}","lines":"`;
  const room = bodyBytes - Buffer.byteLength(head) - 2;
  const line = 'an order of 12 pieces, \\"fragile\\", to be sent on Monday; ';
  return `${head}${line.repeat(Math.floor(room / line.length)).padEnd(room, ".")}"}`;
}
