import { expect } from "vitest";
import type { EmulatorOptions } from "../../dev/emulator/index.ts";
import { linesOf, type Row } from "./cli.ts";
import { createPlanStand, type PlanStand } from "./plan-stand.ts";

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

export interface CommandStand extends Omit<PlanStand, "seed"> {
  seed(count: number, fields?: object): readonly string[];
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

/** A stand of commands whose letters hold what nobody is to see. */
export async function createCommandStand(
  redisUrl: string,
  document = commandDocument,
  emulator: EmulatorOptions = {},
): Promise<CommandStand> {
  const stand = await createPlanStand(redisUrl, { document, emulator });
  let seeded = 0;
  const seedOne = (fields: object): readonly string[] =>
    stand.seed(1, {
      url: `${stand.receiver.url}/hook?token=of-a-query`,
      responseStatus: 422,
      responseBody: undefined,
      header: { Authorization: ["Bearer of-a-header"] },
      body: `of-a-body ${(seeded += 1)}`,
      ...fields,
    });
  return {
    ...stand,
    seed: (count, fields = {}) => Array.from({ length: count }).flatMap(() => seedOne(fields)),
    rows: async (...argv) => {
      const { out, err, exitCode } = await stand.run([...argv, "--json"]);
      expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
      return linesOf(out);
    },
    drain: async (name = "orders") => {
      const { out } = await stand.run(["drain", name, "--yes", "--json"]);
      await stand.emulator.idle();
      const [summary] = JSON.parse(out) as readonly { readonly tally: Row }[];
      return summary?.tally ?? {};
    },
  };
}
