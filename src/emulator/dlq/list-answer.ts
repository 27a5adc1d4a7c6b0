import type { HttpAnswer } from "../http/exchange.ts";
import type { EmulatorCore } from "../emulator-core.ts";
import { fromTheStart, type DlqQuery } from "./dlq-query.ts";
import { formatCursor } from "./position.ts";

const beforeEverything = (seq = 0): string => formatCursor({ ms: 0, seq });

/** One page. The records are sent as they are stored, byte by byte. */
export function listAnswer(core: EmulatorCore, query: DlqQuery, requestedCursor: string | null): HttpAnswer {
  const repeats = requestedCursor && core.faults.draw("repeat-page", "list") !== undefined;
  const page = core.deadLetters.list(repeats ? { ...query, ...fromTheStart } : query);
  const arriving = core.faults.draw("arriving-records", "list");
  if (arriving !== undefined) core.deadLetters.seed(arriving.fault.records);
  const loops = core.faults.draw("looping-cursor", "list") !== undefined;
  const cursor = loops ? (requestedCursor ?? beforeEverything()) : (page.cursor ?? aroundAgain(core));
  const parts: Buffer[] = [];
  for (const { json } of page.records) parts.push(parts.length === 0 ? Buffer.alloc(0) : comma, json);
  const head = cursor === undefined ? "{" : `{"cursor":${JSON.stringify(cursor)},`;
  return {
    status: 200,
    body: Buffer.concat([Buffer.from(`${head}"messages":[`), ...parts, Buffer.from("]}")]),
  };
}

/** Behind the end comes the beginning, each time by another cursor. */
function aroundAgain({ faults }: EmulatorCore): string | undefined {
  const endless = faults.draw("endless-list", "list");
  return endless && beforeEverything(Math.floor(endless.between(1, 999_999_999)));
}

const comma = Buffer.from(",");
