/**
 * A replica as a process of its own, to be killed, which applies the plan of this id. Its settings come by
 * environment. Prints a line once it works on it, and ends with the work.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { openLiveCore } from "../../dist/job/compose/open-core.js";
import { randomIdentities, replicaName, systemClock } from "../../dist/system-world.js";
import { createTeardown } from "../../dist/teardown.js";
import { loadDocument } from "../../dist/config/document/load-document.js";
import { loadSettings } from "../../dist/config/settings/load-settings.js";
import { createPlanDesk } from "../../dist/people/operations/plans/plan-desk.js";

const [id] = process.argv.slice(2);
const { settings } = loadSettings({ env: process.env, flags: { "publish.maxItems": 10 } });
const { document } = loadDocument(readFileSync(process.env.REDRIVER_DRAINS_FILE, "utf8"), "drains.yaml");
const teardown = createTeardown();
const events = { emit: () => undefined };
const live = openLiveCore({ settings, document, env: process.env, events, teardown });
await live.current().redis.ready(10_000);
const desk = createPlanDesk({
  acquire: () => live.acquire(),
  book: live.current().plans,
  clock: systemClock,
  identities: randomIdentities,
  replica: replicaName(),
  version: "test",
  stop: new AbortController().signal,
});
await desk.apply(id, { by: "ada", why: "the receiver is up again" });
process.stdout.write("it is applied\n");
await desk.settled();
await teardown.run(2_000);
