/** Search indexes and the guards on them, as Redis has them: no index is read for it. */
import { z } from "zod";
import { type Core, openIndexReader } from "../../../job/door.ts";
import { defineReading, open } from "../reading.ts";

export type IndexStanding = Awaited<ReturnType<typeof readIndexes>>[number];
export type IndexGuard = IndexStanding["guards"][number];

/** All indexes of the document, in its order. Throws `redis-unavailable`. */
export async function readIndexes(core: Pick<Core, "redis" | "document" | "drains">) {
  const { indexes } = core.document;
  const reader = await openIndexReader(core);
  const readings = await reader.readAll(indexes.map(({ name }) => name));
  const series = await Promise.all(indexes.map(({ name }) => reader.readSeries(name)));
  const guards = await Promise.all(
    [...core.drains.values()].map(async ({ config, source }) => {
      const standings = await source.guards.peek(config);
      return config.guards.flatMap((guard, position) => {
        const standing = standings[position];
        return standing === undefined ? [] : [{ ...standing, drain: config.name, config: guard }];
      });
    }),
  );
  return indexes.map(({ name, id, period }, position) => ({
    name,
    id,
    period,
    /** The last one, taken by any replica; null: none, or it is stale. */
    reading: readings.find(({ index }) => index === name) ?? null,
    /** Of that reading; null: none, or a replica of an earlier version took it. */
    series: series[position] ?? null,
    guards: guards.flat().filter(({ index }) => index === name),
  }));
}

export const indexesReading = defineReading({
  path: "/indexes",
  summary: "Search indexes as a replica read them last, and the guards on them",
  needs: "rules",
  input: z.strictObject({}),
  answer: z.object({
    indexes: z.array(
      z.object({
        name: z.string(),
        id: z.string(),
        period: z.string(),
        reading: open.nullable().describe("The last one; null: none, or it is stale."),
        series: open.nullable(),
        guards: z.array(open),
      }),
    ),
  }),
  run: async ({ core }) => ({ indexes: await readIndexes(core) }),
});
