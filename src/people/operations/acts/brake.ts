import { z } from "zod";
import { misused } from "../../../job/contracts/errors.ts";
import { recordIntent, type SourceRuntime } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import { defineOperation } from "../define.ts";
import { all, brakedHost } from "../fields.ts";
import { onEachTarget, targetRow, toActOf } from "../pauses/targets.ts";
import { toBrakedText, toFailedText } from "../pauses/at-the-service.ts";

export const brake = defineOperation({
  words: "brake",
  path: "/brakes",
  title: "Brake",
  role: "operator",
  reasonOf: "a brake",
  about: "pause a host or all drains here, and at the service what is published and not yet delivered",
  costs:
    "Needs `brake` of the source. What has a flow control key of its own, or is in a queue, is delivered.",
  afterwards: "resume lets go of both.",
  needs: "names",
  mayRefuse: true,
  example: { host: "pay.example.com", reason: "INC-7: they drown in what we sent" },
  input: z.strictObject({ host: brakedHost, all }),
  check({ host, all: isAll }) {
    if ((host === undefined) === (isAll === undefined)) {
      throw misused("give a host, or --all");
    }
  },
  row: targetRow,
  run: ({ core, input: { host }, by, reason, now }) =>
    onEachTarget(core, defined({ host }), async ({ source: { runtime, pauses } }) => {
      await recordIntent({ ...runtime, by }, "pause", [], { ...toActOf("*", reason), ...defined({ host }) });
      // First, so that nothing new is published under the key.
      await pauses.pause({ drain: "*", ...defined({ host }), reason, by, at: now });
      try {
        let keys = await runtime.brake.pause(host);
        if (host === undefined && keys !== null) {
          await postsUnderWay(runtime);
          keys = await runtime.brake.pause();
        }
        return { said: `paused; ${toBrakedText(runtime.config.brake, keys)}` };
      } catch (error) {
        return { said: `paused here alone; ${toFailedText(error)}`, isRefused: true };
      }
    }),
});

/** What was begun before the pause may open a key of another host. Its last byte leaves within sendBy. */
async function postsUnderWay({ ledger, clock }: Pick<SourceRuntime, "ledger" | "clock">): Promise<void> {
  for (const until = clock.monotonic() + ledger.limits.sendByMs; clock.monotonic() < until;) {
    const { open, unknown } = await ledger.summary();
    if (open <= unknown) return;
    await clock.sleep(100);
  }
}
