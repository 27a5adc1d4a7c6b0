import type { Answer } from "../http/exchange.ts";
import type { World } from "../world.ts";
import { fromTheStart, type DlqQuery } from "./dlq-query.ts";
import { formatCursor } from "./position.ts";

const beforeEverything = (seq = 0): string => formatCursor({ ms: 0, seq });

/** One page. The records are sent as they are stored, byte by byte. */
export function listAnswer(world: World, query: DlqQuery, requestedCursor: string | null): Answer {
  const repeats = requestedCursor && world.faults.draw("repeat-page", "list") !== undefined;
  const page = world.deadLetters.list(repeats ? { ...query, ...fromTheStart } : query);
  const arriving = world.faults.draw("arriving-records", "list");
  if (arriving !== undefined) world.deadLetters.seed(arriving.fault.records);
  const loops = world.faults.draw("looping-cursor", "list") !== undefined;
  const cursor = loops ? (requestedCursor ?? beforeEverything()) : (page.cursor ?? aroundAgain(world));
  const parts: Buffer[] = [];
  for (const { json } of page.records) parts.push(parts.length === 0 ? Buffer.alloc(0) : comma, json);
  const head = cursor === undefined ? "{" : `{"cursor":${JSON.stringify(cursor)},`;
  return {
    status: 200,
    body: Buffer.concat([Buffer.from(`${head}"messages":[`), ...parts, Buffer.from("]}")]),
  };
}

/** Behind the end comes the beginning, each time by another cursor. */
function aroundAgain({ faults }: World): string | undefined {
  const endless = faults.draw("endless-list", "list");
  return endless && beforeEverything(Math.floor(endless.between(1, 999_999_999)));
}

const comma = Buffer.from(",");
