/** One more attempt for what is parked: for one dead letter, or for all that a drain parked for one reason. */
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { releaseAllFor, releaseOne } from "../../operations/parked/release-chosen.ts";
import { insteadOfRelease } from "../../operations/parked/next-step.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { number } from "../../operations/phrases.ts";
import type { Act } from "./act.ts";
import { toCommandLine, toReasonWords } from "./command-line.ts";

export const releaseOneAct: Act = {
  name: "release-one",
  title: "Release",
  area: "parked",
  role: "operator",
  asksReason: true,
  fields: [
    { name: "source", label: "Source", kind: "hidden" },
    { name: "dlqId", label: "Dead letter", kind: "hidden" },
  ],
  command: (values) => toCommandLine("parked", "release", values["dlqId"], ...toReasonWords(values)),
  async run({ source = "", dlqId = "", reason = "" }, { core, by, signal }) {
    const released = await releaseOne(core, { source, dlqId }, { reason, by }, signal);
    switch (released.kind) {
      case "released":
        return { said: `Released ${dlqId}: the next pass of its drain decides it again.` };
      case "not-parked":
        return { isRefused: true, said: `${dlqId} is not parked any more, so nothing was done.` };
      case "useless":
        return {
          isRefused: true,
          said: `${dlqId} would only be parked again for ${released.reason}, so nothing was done: ${insteadOfRelease(released.reason)}.`,
        };
    }
  },
};

export const releaseAllAct: Act = {
  name: "release-all",
  title: "Release all",
  area: "parked",
  role: "operator",
  asksReason: true,
  fields: [
    { name: "drain", label: "Drain", kind: "hidden" },
    { name: "for", label: "Parked for", kind: "hidden" },
  ],
  command: (values) => {
    const { drain = "", for: parkedFor = "" } = values;
    return toCommandLine("parked", "release", "--drain", drain, "--for", parkedFor, ...toReasonWords(values));
  },
  async run({ drain = "", for: parkedFor, reason = "" }, { core, by, signal }) {
    const known = parkReasons.find((one) => one === parkedFor);
    if (known === undefined || drain === "") {
      throw new RedriverError("command-misused", "expected a drain and a reason of parking");
    }
    const { released, useless } = await releaseAllFor(core, { drain, for: known }, { reason, by }, signal);
    const others =
      useless === 0
        ? ""
        : ` ${number(useless)} would only be parked again, and were not released: ${insteadOfRelease(known)}.`;
    if (released === 0 && useless > 0) return { isRefused: true, said: `Nothing was done.${others}` };
    return {
      said: `Released ${number(released)}: the next pass of ${drain} decides them again. Until then they are counted here, so there is no need to press again.${others}`,
    };
  },
};
