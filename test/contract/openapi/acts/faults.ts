import type { FaultDefinition } from "../../../../dev/emulator/index.ts";
import type { Stage } from "../stage.ts";

/** While `during` runs, the emulator does these. */
export async function withFaults<Result>(
  { stack }: Pick<Stage, "stack">,
  faults: readonly FaultDefinition[],
  during: () => Promise<Result>,
): Promise<Result> {
  for (const fault of faults) await stack.emulator.control("POST", "/faults", fault);
  try {
    return await during();
  } finally {
    await stack.emulator.control("DELETE", "/faults");
  }
}
