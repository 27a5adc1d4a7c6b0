import { defineOperation } from "../define.ts";
import { laneOperation, recordLaneAct, toLaneDid, wakeUp } from "../lanes/acts.ts";

export const reset = defineOperation({
  ...laneOperation,
  words: "lanes reset",
  path: "/lanes/reset",
  title: "Reset the lane",
  example: { host: "pay.example.com", reason: "they changed their limits" },
  reasonOf: "a reset",
  about: "let a lane start over with a few messages, as a new one",
  costs:
    "Forgets what the lane has learned. It starts over with a few canaries, also if it is open or halted.",
  async *run(call, chosen) {
    await recordLaneAct(call, chosen, { act: "lane-reset", to: "canary" });
    const found = await chosen.built.runtime.lanes.reset(chosen.view.lane);
    const said =
      found.kind === "unknown"
        ? "its lane was forgotten a moment ago: it is new"
        : `it was ${found.from}, and starts over at canary${await wakeUp(call, chosen)}`;
    yield toLaneDid(chosen, said, true);
  },
});
