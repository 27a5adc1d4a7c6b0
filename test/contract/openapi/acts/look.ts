import type { FaultDefinition } from "../../../../dev/emulator/index.ts";
import type { Stage } from "../stage.ts";
import { withFaults } from "./faults.ts";

/** Dead letters of every form that the emulator can make up: text, binary, redacted, queues, groups, … */
export async function seedForms({ stack, destinations }: Stage): Promise<void> {
  await stack.emulator.control("POST", "/dlq/generate", {
    count: 400,
    seed: 1,
    overMs: 3_600_000,
    destinations: [destinations.forms],
  });
}

/** What only reads, first with a service that is well, then with one that is not. */
export async function look(stage: Stage): Promise<void> {
  // No daemon listens for callbacks yet, which it says.
  await stage.tryToRun("doctor", "--json");
  await stage.run("plan", "--all");
  await stage.run("plan", "every-filter", "by-flow-key", "one-message", "--records");
  await stage.run("index", "stats", "catalog");
  for (const fault of ofOneCall) {
    await withFaults(stage, [{ ...fault, count: 1 }], async () => {
      await stage.tryToRun("plan", "one-message");
      await stage.tryToRun("index", "stats", "catalog");
    });
  }
}

/** A listing without an answer, with half of one, or with a refusal. */
const ofOneCall: readonly FaultDefinition[] = [
  { kind: "drop-answer", operation: "list", when: "before" },
  { kind: "cut-answer", operation: "list" },
  { kind: "status", operation: "list", status: 500 },
  { kind: "status", operation: "statistics", status: 503 },
];

/** The token is another one for a while. */
export async function beRefused(stage: Stage): Promise<void> {
  const { control, token } = stage.stack.emulator;
  await control("PUT", "/token", { token: "another" });
  await stage.tryToRun("doctor", "--json");
  await stage.tryToRun("drain", "forms", "--yes");
  await control("PUT", "/token", { token });
}

/** So few calls in a second that a plan meets the limit. */
export async function beLimited(stage: Stage): Promise<void> {
  const { control } = stage.stack.emulator;
  await control("PATCH", "/settings", { rateLimits: { dlq: { limit: 2, windowMs: 1_000 } } });
  await stage.run("plan", "--all");
  await control("PATCH", "/settings", { rateLimits: {} });
}
