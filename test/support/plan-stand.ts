import { join } from "node:path";
import type { Emulator, EmulatorOptions } from "../../dev/emulator/index.ts";
import { runHere, withoutComeBackWarnings, type CliAnswer, type CliHere } from "./cli.ts";
import { createEnv } from "./daemon.ts";
import type { Receiver } from "./receiver.ts";
import { seedLetters, startService } from "./service.ts";

/** Emulator, receiver and an environment for commands of one test. */
export interface PlanStand {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
  readonly env: Readonly<Record<string, string>>;
  /** Where `plan()` writes. */
  readonly file: string;
  /** Replaces the drains document. */
  document(text: string): void;
  /**
   * Dead letters of a receiver that was down, an hour old unless another age is given; each with a body of
   * its own.
   */
  seed(count: number, fields?: Readonly<Record<string, unknown>>, ageMs?: number): readonly string[];
  run(argv: readonly string[], here?: CliHere): Promise<CliAnswer>;
  /** Freezes a plan in the file. */
  plan(...args: readonly string[]): Promise<CliAnswer>;
  /** Applies the file, without a terminal. */
  apply(...args: readonly string[]): Promise<CliAnswer>;
}

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
): Promise<PlanStand> {
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
    file,
    document: (text) => void folder.write("drains.yaml", text),
    seed: (count, fields = {}, ageMs = 60 * 60_000) => {
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
    plan: (...args) => run(["plan", "--all", "--out", file, ...args]),
    apply: (...args) => run(["apply", file, "--reason", "the receiver is up again", "--by", "ada", ...args]),
  };
}
