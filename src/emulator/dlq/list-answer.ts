import type { Answer } from "../http/exchange.ts";
import type { World } from "../world.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { formatCursor } from "./position.ts";

const beforeEverything = formatCursor({ ms: 0, seq: 0 });

/** One page. The records are sent as they are stored, byte by byte. */
export function listAnswer(world: World, query: DlqQuery, requestedCursor: string | null): Answer {
  const repeats = query.after !== undefined && world.faults.draw("repeat-page", "list") !== undefined;
  const page = world.deadLetters.list(repeats ? { ...query, after: undefined } : query);
  const arriving = world.faults.draw("arriving-records", "list");
  if (arriving !== undefined) world.deadLetters.seed(arriving.fault.records);
  const loops = world.faults.draw("looping-cursor", "list") !== undefined;
  const cursor = loops ? (requestedCursor ?? beforeEverything) : page.cursor;
  const parts: Buffer[] = [];
  for (const { json } of page.records) parts.push(parts.length === 0 ? Buffer.alloc(0) : comma, json);
  const head = cursor === undefined ? "{" : `{"cursor":${JSON.stringify(cursor)},`;
  return {
    status: 200,
    body: Buffer.concat([Buffer.from(`${head}"messages":[`), ...parts, Buffer.from("]}")]),
  };
}

const comma = Buffer.from(",");
