import type { Core } from "../../../job/compose/build-core.ts";
import { readFailureViews } from "../../../job/compose/failure-views.ts";
import { systemClock } from "../../../job/compose/system-world.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import { toJsonLine } from "../output/json.ts";
import { barsFor } from "../output/sparkline.ts";
import { chooseFailures } from "../../operations/failures/choose.ts";
import { readDetails, type FailureDetails } from "../../operations/failures/details.ts";
import { toFailureJson } from "../../operations/failures/json.ts";
import { toFailureText } from "./show-text.ts";

/** One object or text for each source that has such a kind. */
export async function showFailure(core: Core, id: string, json: boolean, stop: Stop, io: Io): Promise<void> {
  const now = systemClock.now();
  const views = await readFailureViews(core, now);
  const signal = AbortSignal.any([stop.signal, stop.stopping]);
  const texts: string[] = [];
  for (const failure of chooseFailures(views, id)) {
    const details = await readDetails(core, failure, signal);
    if (json) io.out(toJsonLine(toJson(details)));
    else texts.push(toFailureText(io.columns, details, { now, bars: barsFor(io.env) }));
  }
  io.out(texts.join("\n"));
}

/** `sample` stays its id; what the rules do with one is `decided`. */
function toJson({ failure, arrivals, lanes, sample }: FailureDetails): object {
  return { ...toFailureJson(failure), arrivals, lanes, decided: sample };
}
