import { readdirSync, readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import path from "node:path";
import { createFolder } from "./command.ts";
import { startDaemon } from "./daemon.ts";
import { createDrainStage } from "./drain-stage.ts";

/** A function of ours in the built code. */
export interface Called {
  readonly name: string;
  /** From `src`. */
  readonly file: string;
  /** Where it begins in the built file: closures have no names. */
  readonly at: number;
  readonly calls: number;
}

/**
 * How often a daemon called each of its functions, from its start to its end, while it drained so many ordinary
 * letters. A process of its own counts all: one that is warm already does not count every closure.
 * `program`: main.js of another build.
 */
export async function calledByDaemon(
  redisUrl: string,
  letters: number,
  program?: string,
): Promise<readonly Called[]> {
  const { setup, seed, emptied } = await createDrainStage({ url: redisUrl });
  const { path: folder } = createFolder({});
  seed(letters);
  const daemon = await startDaemon({ ...setup.env, NODE_V8_COVERAGE: folder }, program);
  await emptied(60_000);
  await daemon.endsWell();
  const reports = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
  const scripts = reports.flatMap(
    (report) => (JSON.parse(report) as Profiler.TakePreciseCoverageReturnType).result,
  );
  return scripts
    .filter(({ url }) => url.includes("/dist/") && !url.includes("/node_modules/"))
    .flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges }) => ({
        name: functionName,
        file: url.split("/dist/").at(-1)!.replace(/js$/, "ts"),
        at: ranges[0]?.startOffset ?? 0,
        calls: ranges[0]?.count ?? 0,
      })),
    );
}
