/** Looks at everything that a daemon will need, before one runs or while one does. Publishes and deletes nothing. */
import { type Core, type BuiltSource, lookAtVolume } from "../../../job/door.ts";
import { proofAddressOf } from "../../../job/message/proof-callback-url.ts";
import { silenceNote, silentSources } from "../../../config/document/silent-sources.ts";
import { failed, messageOf, ok, warning, type DoctorFinding } from "./finding.ts";
import { judgeRedis } from "./look-at-redis.ts";
import { lookAtSource } from "./look-at-source.ts";
import type { ArchiveConfig, SourceConfig } from "../../../job/contracts/drains-document.ts";

/** By subject, in a fixed order. Looks side by side; the slowest ends within the timeouts of the settings. */
export async function examine(core: Core, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  const { document, sources } = core;
  const { archive } = document;
  const looks: Promise<readonly DoctorFinding[] | DoctorFinding>[] = [judgeRedis(core)];
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

/** Its directory can be written, and is on a volume that lasts. Writes nothing. */
async function lookAtArchive(config: ArchiveConfig): Promise<DoctorFinding> {
  const seen = await lookAtVolume(config);
  if (seen === null) return warning("archive", `${config.dir}: what kind of volume it is on cannot be read`);
  if (seen.verdict === "fit") return ok("archive", `${config.dir} can be written`);
  return (seen.verdict === "unfit" ? failed : warning)("archive", seen.complaint);
}

/** Whether the account delivers as fast as its drains published lately, by how long deliveries were seen to take. */
async function lookAtPace(
  { id, name }: SourceConfig,
  maxParallelism: number,
  { runtime }: BuiltSource,
): Promise<DoctorFinding> {
  const subject = `source ${name}`;
  const seen = await runtime.capacity.deliveryTime(id);
  if (seen === null) return ok(subject, `maxParallelism is ${maxParallelism}; no delivery was seen yet`);
  const perSecond = (maxParallelism * 1_000) / seen.tookMs;
  const pace = `${maxParallelism} at once, ${Math.round(seen.tookMs)} ms each: ${perSecond.toFixed(1)}/s`;
  if (seen.grantedPerSecond <= perSecond) return ok(subject, `its deliveries keep up (${pace})`);
  return warning(
    subject,
    `${seen.grantedPerSecond.toFixed(1)}/s were published lately, and it delivers ${pace}; lower limits.publish, or take a plan with more parallelism`,
  );
}

const withinMs = 5_000;

/**
 * Whether the address of callbacks leads to a server that answers as ours: 405 to a GET. The service calls from
 * outside, where names and ways may differ, so nothing here fails.
 */
async function lookAtCallbacks(name: string, address: string): Promise<DoctorFinding> {
  const subject = `callbacks of ${name}`;
  try {
    const { status } = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(withinMs) });
    if (status === 405) return ok(subject, `${address} leads to a callback server of redriver`);
    return warning(
      subject,
      `expected 405 from ${address}, as a running daemon answers a GET, got ${status}; lanes then wait for silence`,
    );
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return warning(
      subject,
      `${address} cannot be reached from here (${messageOf(cause)}); if the service reaches it, all is well`,
    );
  }
}
