/** Looks at everything that a daemon will need, before one runs or while one does. Publishes and deletes nothing. */
import type { Core } from "../../../job/compose/build-core.ts";
import { proofAddressOf } from "../../../job/message/proof-callback-url.ts";
import { silenceNote, silentSources } from "../../../config/document/silent-sources.ts";
import { ok, warning, type DoctorFinding } from "./finding.ts";
import { lookAtArchive } from "./look-at-archive.ts";
import { lookAtCallbacks } from "./look-at-callbacks.ts";
import { lookAtPace } from "./look-at-pace.ts";
import { lookAtRedis } from "./look-at-redis.ts";
import { lookAtSource } from "./look-at-source.ts";

/** By subject, in a fixed order. Looks side by side; the slowest ends within the timeouts of the settings. */
export async function examine(core: Core, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  const { document, sources } = core;
  const { archive } = document;
  const looks: Promise<readonly DoctorFinding[] | DoctorFinding>[] = [
    lookAtRedis(core.redis, [...sources.keys()]),
  ];
  const silent = new Set(silentSources(document).map(({ name }) => name));
  for (const config of document.sources) {
    const source = sources.get(config.id);
    const drains = document.drains.filter((drain) => drain.source.id === config.id);
    if (source === undefined) continue;
    if (silent.has(config.name)) looks.push(Promise.resolve(warning(`source ${config.name}`, silenceNote)));
    if (config.maxParallelism !== undefined) looks.push(lookAtPace(config, config.maxParallelism, source));
    const isLive = drains.some(({ mode }) => mode === "live");
    looks.push(lookAtSource(config.name, source, isLive, signal));
    const address = proofAddressOf(config);
    if (address !== undefined) looks.push(lookAtCallbacks(config.name, address));
  }
  if (archive !== undefined) looks.push(lookAtArchive(archive));
  return [toDocumentFinding(core), ...(await Promise.all(looks)).flat()];
}

function toDocumentFinding({ document, settings }: Core): DoctorFinding {
  const live = document.drains.filter(({ mode }) => mode === "live").map(({ name }) => name);
  const which = live.length === 0 ? "no drain is live" : `live: ${live.join(", ")}`;
  return ok("document", `${settings.drains.file} is valid, hash ${document.hash}; ${which}`);
}
