/** Looks at everything that a daemon will need, before one runs or while one does. Publishes and deletes nothing. */
import {
  type BuiltSource,
  type Core,
  listOne,
  lookAtRedis,
  lookAtVolume,
  openIndexClient,
} from "../../../job/door.ts";
import { proofAddressOf } from "../../../job/message/proof-callback-url.ts";
import { silenceNote, silentSources } from "../../../config/document/silent-sources.ts";
import { readSecret } from "../../../config/read-secret.ts";
import type { Environment } from "../../../config/settings/environment.ts";
import type { ArchiveConfig, IndexConfig } from "../../../job/contracts/drains-document.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import { isRedriverError } from "../../../job/contracts/errors.ts";

export interface DoctorFinding {
  /** What was looked at: `redis`, `source orders`. */
  readonly subject: string;
  /** `failed`: a daemon would not work. `warning`: it would, and somebody should know. */
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
}

function about(subject: string) {
  const as =
    (state: DoctorFinding["state"]) =>
    (message: string): DoctorFinding => ({ subject, state, message });
  return { ok: as("ok"), warning: as("warning"), failed: as("failed") };
}
type About = ReturnType<typeof about>;

/** By subject, in a fixed order. Looks side by side; the slowest ends within the timeouts of the settings. */
export async function examine(
  core: Core,
  signal: AbortSignal,
  env: Environment,
): Promise<readonly DoctorFinding[]> {
  const { document, settings, sources } = core;
  const { archive } = document;
  const looks: Promise<readonly DoctorFinding[] | DoctorFinding>[] = [judgeRedis(core)];
  const silent = new Set(silentSources(document).map(({ name }) => name));
  for (const config of document.sources) {
    const { name } = config;
    const built = sources.get(config.id);
    if (built === undefined) continue;
    const source = about(`source ${name}`);
    if (silent.has(name)) looks.push(Promise.resolve(source.warning(silenceNote)));
    const isLive = document.drains.some((drain) => drain.source.id === config.id && drain.mode === "live");
    looks.push(lookAtSource(source, built, isLive, signal));
    const address = proofAddressOf(config);
    if (address !== undefined) looks.push(lookAtCallbacks(name, address));
  }
  if (archive !== undefined) looks.push(lookAtArchive(archive));
  const read = await openIndexClient(settings, (ref) => readSecret(ref, { env, settings }));
  for (const index of document.indexes) looks.push(lookAtIndex(index, read(index, signal)));
  return [toDocumentFinding(core), ...(await Promise.all(looks)).flat()];
}

function toDocumentFinding({ document, settings }: Core): DoctorFinding {
  const live = document.drains.filter(({ mode }) => mode === "live").map(({ name }) => name);
  const which = live.length === 0 ? "no drain is live" : `live: ${live.join(", ")}`;
  return about("document").ok(`${settings.drains.file} is valid, hash ${document.hash}; ${which}`);
}

/** Its directory can be written, and is on a volume that lasts. Writes nothing. */
async function lookAtArchive(config: ArchiveConfig): Promise<DoctorFinding> {
  const { ok, warning, failed } = about("archive");
  const seen = await lookAtVolume(config);
  if (seen === null) return warning(`${config.dir}: what kind of volume it is on cannot be read`);
  if (seen.verdict === "fit") return ok(`${config.dir} can be written`);
  return (seen.verdict === "unfit" ? failed : warning)(seen.complaint);
}

async function lookAtIndex({ name }: IndexConfig, reading: Promise<unknown>): Promise<DoctorFinding> {
  const { ok, warning } = about(`index ${name}`);
  return reading.then(
    () => ok("its statistics can be read"),
    (error: unknown) =>
      warning(`${messageOf(error)}; guards on it hold, but for those with whenStale: ignore`),
  );
}

const withinMs = 5_000;

/**
 * Whether the address of callbacks leads to a server that answers as ours: 405 to a GET. The service calls from
 * outside, where names and ways may differ, so nothing here fails.
 */
async function lookAtCallbacks(name: string, address: string): Promise<DoctorFinding> {
  const { ok, warning } = about(`callbacks of ${name}`);
  try {
    const { status } = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(withinMs) });
    if (status === 405) return ok(`${address} leads to a callback server of redriver`);
    const got = `expected 405 from ${address}, as a running daemon answers a GET, got ${status}`;
    return warning(`${got}; lanes then wait for silence`);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const why = `${address} cannot be reached from here (${messageOf(cause)})`;
    return warning(`${why}; if the service reaches it, all is well`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const tolerableOffMs = 5_000;

/** `offMs`: its clock less ours. */
function judgeClock({ ok, warning }: About, offMs: number): DoctorFinding {
  const off = Math.abs(offMs);
  if (off <= tolerableOffMs) return ok("its clock agrees with ours");
  const by = `its clock is ${(off / 1_000).toFixed(1)} s ${offMs > 0 ? "ahead of" : "behind"} ours`;
  return warning(`${by}; redriver goes by Redis's and the service's, but times in logs differ. Is NTP on?`);
}

/** Reachable, fit for a ledger, durable, and on time. */
async function judgeRedis(core: Pick<Core, "redis" | "sources">): Promise<readonly DoctorFinding[]> {
  const redis = about("redis");
  const { ok, warning, failed } = redis;
  try {
    const { problems, server } = await lookAtRedis(core);
    const found = problems.map(({ weight, message }) => (weight === "refuse" ? failed : warning)(message));
    const fitness = found.length > 0 ? found : [ok("it answers, and it is fit for a ledger")];
    if (server === null) return fitness;
    // A ledger that a restart empties knows no longer what was published: see docs/redis.md.
    const lost =
      "it writes no append-only file: a restart may lose the ledger of the last minutes; see docs/redis.md";
    const durability = server.isDurable
      ? ok("it writes an append-only file, so a restart keeps the ledger")
      : warning(`${lost}. A hosted Redis may keep its data in another way`);
    return [...fitness, durability, judgeClock(redis, server.offMs)];
  } catch (error) {
    return [failed(messageOf(error))];
  }
}

/** Its token may list; may also delete, if a drain of it is live. Its clock is ours. */
async function lookAtSource(
  source: About,
  { service, direct }: BuiltSource,
  isLive: boolean,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  try {
    await listOne(service, signal).catch((error: unknown) => {
      // A daemon has met a failure, and knows why. Its pause does not.
      if (!isRedriverError(error) || error.code !== "service-resting") throw error;
      return listOne(direct, signal);
    });
  } catch (error) {
    return [source.failed(messageOf(error))];
  }
  const offMs = service.clockOffsetMs();
  return [
    source.ok("its token may list the dead letter queue"),
    ...(offMs === undefined ? [] : [judgeClock(source, offMs)]),
    isLive
      ? await lookAtWriteRights(source, service, signal)
      : source.ok("none of its drains is live, so a token that only reads is enough"),
  ];
}

/** No dead letter has this id: its time is 1970. */
const nobody = "0-0" as DlqId;

/** Asks for the delete of a dead letter that nobody has. A token that only reads is refused. */
async function lookAtWriteRights(
  { ok, warning, failed }: About,
  service: BuiltSource["service"],
  signal: AbortSignal,
): Promise<DoctorFinding> {
  const mayDelete = ok("its token may delete, so it may publish");
  try {
    await service.remove([nobody], signal);
    return mayDelete;
  } catch (error) {
    const code = isRedriverError(error) ? error.code : null;
    const why = messageOf(error);
    if (code === "unauthorised") return failed(`a drain of it is live, and its token may not delete: ${why}`);
    // It read the call, and knows no such dead letter.
    if (code === "source-misconfigured" || code === "request-refused") return mayDelete;
    return warning(`it is not known if its token may delete: ${why}`);
  }
}
