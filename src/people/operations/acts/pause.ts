import { z } from "zod";
import { recordIntent, type SourceRuntime } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import {
  namesOfOrigin,
  toFailureOfName,
  type DestinationName,
} from "../../../job/message/destination-names.ts";
import { defineOperation } from "../define.ts";
import { toDestinationText } from "../destination-text.ts";
import { forSpan } from "../fields.ts";
import { toMeant } from "../nearest.ts";
import { checkTargets, onEachTarget, targetFields, targetRow, toActOf } from "../pauses/targets.ts";
import { toTime } from "../phrases.ts";

export const pause = defineOperation({
  words: "pause",
  path: "/pauses",
  title: "Pause",
  role: "operator",
  reasonOf: "a pause",
  about: "hold drains or one destination back: every replica obeys before its next batch",
  needs: "names",
  example: { drains: "orders", for: "2h", reason: "INC-7: the receiver is down" },
  input: z.strictObject({ ...targetFields, for: forSpan }),
  check: checkTargets,
  row: targetRow,
  run: ({ core, input, by, reason, now }) =>
    onEachTarget(core, input, async ({ source: { runtime, pauses }, drain, host }) => {
      const order = defined({ host, forMs: input.for });
      await recordIntent({ ...runtime, by }, "pause", [], { ...toActOf(drain, reason), ...order });
      const { until } = await pauses.pause({ drain, ...defined({ host }), reason, by, at: now }, input.for);
      const paused = until === undefined ? "paused" : `paused until ${toTime(until)}`;
      return { said: host === undefined ? paused : `${paused}${await toUnknownText(runtime, host)}` };
    }),
});

/** Empty if a kind of failure was met there. A pause may come before its first dead letter. */
async function toUnknownText({ failures }: SourceRuntime, host: DestinationName): Promise<string> {
  if (toFailureOfName(host) !== null) return "";
  const kinds = await failures.all();
  const names = kinds.flatMap(({ origin }) => namesOfOrigin(origin));
  if (names.includes(host)) return "";
  const meant = toMeant(host, [...names, ...kinds.map(({ origin }) => toDestinationText(origin))]);
  return `; no dead letter of it was met yet${meant || ", so look at the name (redriver failures --all)"}`;
}
