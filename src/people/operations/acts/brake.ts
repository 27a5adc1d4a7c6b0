import { z } from "zod";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { recordIntent } from "../../../job/door.ts";
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
  about: "pause a host here, and at the service what was published there and is not yet delivered",
  costs:
    "Needs `brake` of the source. What has a flow control key of its own, or is in a queue, is delivered.",
  afterwards: "resume lets go of both.",
  needs: "names",
  mayRefuse: true,
  example: { host: "pay.example.com", reason: "INC-7: they drown in what we sent" },
  input: z.strictObject({ host: brakedHost, all }),
  check({ host, all: isAll }) {
    if ((host === undefined) === (isAll === undefined)) {
      throw new RedriverError("command-misused", "give a host, or --all");
    }
  },
  row: targetRow,
  async *run({ core, input: { host }, by, reason, now }) {
    let isRefused = false;
    const braked = onEachTarget(core, defined({ host }), async ({ source: { runtime, pauses } }) => {
      isRefused = false;
      await recordIntent({ ...runtime, by }, "pause", [], { ...toActOf("*", reason), ...defined({ host }) });
      // First, so that nothing new is published under the key.
      await pauses.pause({ drain: "*", ...defined({ host }), reason, by, at: now });
      try {
        return `paused; ${toBrakedText(runtime.config.brake, await runtime.brake.pause(host))}`;
      } catch (error) {
        isRefused = true;
        return `paused here alone; ${toFailedText(error)}`;
      }
    });
    for await (const did of braked) yield { ...did, isRefused };
  },
});
