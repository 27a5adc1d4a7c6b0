import { goByLanes } from "./acts/lanes.ts";
import { drain, readDesk, seedForRules } from "./acts/drain.ts";
import { beLimited, beRefused, look, seedForms } from "./acts/look.ts";
import { redriveRealOnes } from "./acts/real-letters.ts";
import { tourEmulator } from "./acts/tour.ts";
import type { Stage } from "./stage.ts";

const acts: readonly (readonly [name: string, act: (stage: Stage) => Promise<void>])[] = [
  ["seed every form", seedForms],
  ["seed for rules", seedForRules],
  ["look", look],
  ["be refused", beRefused],
  ["be limited", beLimited],
  ["drain", drain],
  ["the desk", readDesk],
  ["real dead letters", redriveRealOnes],
  ["lanes and callbacks", goByLanes],
  // The last: it resets the emulator.
  ["the rest of the emulator", tourEmulator],
];

/** Everything that redriver can be made to ask of the service. Rejects where an act could not be played. */
export async function play(stage: Stage): Promise<void> {
  for (const [name, act] of acts) {
    stage.say(name);
    await act(stage);
  }
}
