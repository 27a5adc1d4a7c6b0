import { join } from "node:path";
import type { EmulatorOptions } from "../../dev/emulator/index.ts";
import { runHere, withoutComeBackWarnings, type CliAnswer, type CliHere } from "./cli.ts";
import { createEnv } from "./daemon.ts";
import { seedLetters, startService } from "./service.ts";

/** Emulator, receiver and an environment for commands of one test. */
export type PlanStand = Awaited<ReturnType<typeof createPlanStand>>;

/** How a document begins whose one source has neither lanes nor limits. */
export const unlimitedHead = `
version: 1
sources: { default: {} }
defaults:
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
`;

export const outageDocument = `${unlimitedHead}drains:
  orders:
    mode: plan
    select: { topicName: orders }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

export async function createPlanStand(
  redisUrl: string,
  {
    document = outageDocument,
    emulator: options = {},
    env: more = {},
  }: { document?: string; emulator?: EmulatorOptions; env?: Readonly<Record<string, string>> } = {},
) {
  const { emulator, receiver } = await startService(options);
  const { env, folder } = createEnv({
    emulator,
    redisUrl,
    document,
    env: { REDRIVER_STATISTICS_URL: emulator.url, ...more },
  });
  const file = join(folder.path, "plan.ndjson");
  let orders = 0;
  const run = async (argv: readonly string[], here: CliHere = {}): Promise<CliAnswer> =>
    withoutComeBackWarnings(await runHere(argv, env, here));
  return {
    emulator,
    receiver,
    env,
    /** Where `plan()` writes. */
    file,
    /** Replaces the drains document. */
    document: (text: string): void => void folder.write("drains.yaml", text),
    /**
     * Dead letters of a receiver that was down, an hour old unless another age is given; each with a body of
     * its own.
     */
    seed: (
      count: number,
      fields: Readonly<Record<string, unknown>> = {},
      ageMs = 60 * 60_000,
    ): readonly string[] => {
      const common = {
        url: `${receiver.url}/orders`,
        responseBody: "upstream is not there",
        topicName: "orders",
      };
      return seedLetters(emulator, count, () => ({ ...common, body: `order ${(orders += 1)}`, ...fields }), {
        // Behind those of the call before.
        ageMs: ageMs - orders,
      });
    },
    run,
    /** Freezes a plan in the file. */
    plan: (...args: readonly string[]): Promise<CliAnswer> => run(["plan", "--all", "--out", file, ...args]),
    /** Applies the file, without a terminal. */
    apply: (...args: readonly string[]): Promise<CliAnswer> =>
      run(["apply", file, "--reason", "the receiver is up again", "--by", "ada", ...args]),
  };
}
