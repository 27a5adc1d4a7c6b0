import { expect } from "vitest";
import type { Emulator, EmulatorOptions } from "../../dev/emulator/index.ts";
import { runHere, withoutComeBackWarnings, type CliHere } from "./cli.ts";
import { createEnv } from "./daemon.ts";
import type { Receiver } from "./receiver.ts";
import { seedLetters, startService } from "./service.ts";

export const commandDocument = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    lane: none
    select: { topicName: orders }
    minAge: 1s
    attempts: { max: 1, wait: [1s], then: park }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 500-599 }, then: republish }
  refunds:
    mode: live
    lane: none
    select: { topicName: refunds }
    minAge: 1s
    otherwise: park
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

export type Row = Readonly<Record<string, unknown>>;

export interface CommandStand {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
  seed(count: number, fields?: object): readonly string[];
  run(argv: readonly string[], here?: CliHere): ReturnType<typeof runHere>;
  /** The lines of a command that prints JSON. */
  rows(...argv: readonly string[]): Promise<readonly Row[]>;
  drain(name?: string): Promise<Row>;
}

/**
 * A message that was sent to a URL Group is redriven to its endpoint, and comes back without the group's
 * name.
 */
export const wholeQueue = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    lane: none
    minAge: 1s
    attempts: { max: 1, wait: [1s], then: park }
    rules:
      - { name: outage, when: { responseStatus: 500-599 }, then: republish }
`;

/** Commands of this process over an emulator, a receiver and a Redis, for one test. */
export async function createCommandStand(
  redisUrl: string,
  text = commandDocument,
  options: EmulatorOptions = {},
): Promise<CommandStand> {
  const { emulator, receiver } = await startService(options);
  const { env } = createEnv({ emulator, redisUrl, document: text });
  const run: CommandStand["run"] = async (argv, here) =>
    withoutComeBackWarnings(await runHere(argv, env, here));
  let seeded = 0;
  return {
    emulator,
    receiver,
    run,
    seed: (count, fields = {}) => {
      const toFields = () => ({
        url: `${receiver.url}/hook?token=of-a-query`,
        responseStatus: 422,
        topicName: "orders",
        header: { Authorization: ["Bearer of-a-header"] },
        body: `of-a-body ${(seeded += 1)}`,
        ...fields,
      });
      // Behind those of the call before.
      return seedLetters(emulator, count, toFields, { ageMs: 60 * 60_000 - seeded });
    },
    rows: async (...argv) => {
      const { out, err, exitCode } = await run([...argv, "--json"]);
      expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
      return out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));
    },
    drain: async (name = "orders") => {
      const { out } = await run(["drain", name, "--yes", "--json"]);
      await emulator.idle();
      const [summary] = JSON.parse(out) as readonly { readonly tally: Row }[];
      return summary?.tally ?? {};
    },
  };
}
