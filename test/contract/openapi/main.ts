/**
 * Holds redriver and its emulator to the vendor's OpenAPI document: a proxy between the two checks every
 * request and every answer. The document is not part of this repository.
 *
 *     npm run test:openapi -- --spec openapi.yaml
 *         [--results .cache/openapi-results.json] [--program dist/main.js]
 *
 * What it may object to is in known-objections.ts, each with its reason. Exits 1 if there is another one, if a
 * reason is not needed any more, or if something was not seen; 2 if it was used wrongly. What the processes
 * said is kept in .cache/openapi-runs.
 */
import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { startGuard } from "../../rig/guard.ts";
import {
  builtProgram,
  createSay,
  end,
  endWrongUse,
  parseOrEnd,
  root,
  writeResults,
} from "../../rig/program.ts";
import { checkExchange, type CheckOptions } from "./check-exchange.ts";
import { knownObjections } from "./known-objections.ts";
import { mustBeSeen } from "./must-be-seen.ts";
import { play } from "./play.ts";
import { countChecks, toReport } from "./report.ts";
import { parseSpecification } from "./specification.ts";
import { startStage } from "./stage.ts";
import { createTally } from "./tally.ts";

const { values } = parseOrEnd({
  options: {
    spec: { type: "string" },
    results: { type: "string" },
    program: { type: "string", default: builtProgram },
  },
});
if (values.spec === undefined) endWrongUse("--spec <file>: the vendor's OpenAPI document");

const options: CheckOptions = {
  headerPrefix: "Upstash-",
  itemHeaders: { "POST /v2/batch": "POST /v2/publish/{destination}" },
};
const specification = parseSpecification(readFileSync(values.spec, "utf8"));
const tally = createTally(knownObjections);
const dir = resolve(root, ".cache/openapi-runs");
rmSync(dir, { recursive: true, force: true });
const guard = startGuard();
const stage = await startStage({
  dir,
  guard,
  program: resolve(values.program),
  say: createSay(),
  onExchange: (exchange) => tally.add(checkExchange(specification, exchange, options)),
});
const stopped = await play(stage).then(
  () => null,
  (error: unknown) => String(error),
);
await stage.close();
guard.close();
const checks = countChecks(tally, mustBeSeen, stopped);
writeResults(values.results, checks);
end(toReport(tally, mustBeSeen, stopped), checks.failed);
