import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCore } from "../../src/job/compose/open-core.ts";
import { createTeardown } from "../../src/teardown.ts";
import { startEmulator, type Emulator } from "../../dev/emulator/index.ts";
import { createBooks, type Books } from "../rig/books.ts";
import { sha256, type Fate } from "../rig/letters.ts";
import { load, settingsOf } from "../support/loaded-document.ts";
import { createReceiver, type Receiver } from "../support/receiver.ts";
import {
  createLetters,
  dedupWindowMs,
  faults,
  indexId,
  maxMessageBytes,
  patientSettings,
  settings,
  toDocument,
  type Ending,
  type ScenarioLetter,
  type SourceName,
} from "./scenario.ts";
import { turnedUpEnv } from "./turned-up.ts";

/**
 * Everything of one case but its daemon: two services, a receiver, a folder, and a look into the same Redis.
 */
export type Stand = Awaited<ReturnType<typeof createStand>>;

export const sourceNames = ["main", "second"] as const;

/** `keyPrefix` is the case's own part of Redis. */
export async function createStand(redisUrl: string, keyPrefix: string, isTurnedUp: boolean) {
  const receiver = await createReceiver();
  const main = await startOne();
  const second = await startOne();
  const emulators = { main, second };
  const letters = createLetters(receiver.url, Date.now(), isTurnedUp);
  for (const name of sourceNames) {
    emulators[name].dlq.seed(letters.filter(({ source }) => source === name).map(({ fields }) => fields));
  }
  const books = { main: createSourceBooks("main", letters), second: createSourceBooks("second", letters) };
  main.putIndex(indexId, { pending_index_count: 100 });
  receiver.answer = failOnce(letters);

  const folder = mkdtempSync(join(tmpdir(), "redriver-fault-"));
  const archiveDir = join(folder, "archive");
  mkdirSync(archiveDir);
  const document = toDocument({
    urls: { main: main.url, second: second.url },
    receiverUrl: receiver.url,
    archiveDir,
    now: Date.now(),
  });
  const file = join(folder, "drains.yaml");
  writeFileSync(file, document);
  const env = {
    ...settings,
    ...(isTurnedUp ? turnedUpEnv : {}),
    REDRIVER_REDIS_URL: redisUrl,
    REDRIVER_REDIS_KEY_PREFIX: keyPrefix,
    REDRIVER_DRAINS_FILE: file,
    REDRIVER_STATISTICS_URL: main.url,
    MAIN_TOKEN: main.token,
    SECOND_TOKEN: second.token,
    STATS_USER: main.statsCredentials.username,
    STATS_PASSWORD: main.statsCredentials.password,
  };
  const read = (name: string): string => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const teardown = createTeardown();
  const core = openCore({
    settings: settingsOf({ env: { ...env, ...patientSettings } }),
    document: load(document).document,
    env,
    events: { emit: () => undefined },
    teardown,
    by: "a worker that died",
  });
  await core.redis.ready(5_000);
  return {
    emulators,
    receiver,
    letters,
    /** What the judge of the rig knows of each source; a letter's root is its key. */
    books,
    env,
    folder,
    archiveDir,
    /** Reads ledger and audit, and leaves things half done before the daemon begins. */
    core,
    /** From now on the services misbehave as the scenario says. */
    misbehave: (): void => {
      for (const name of sourceNames) for (const fault of faults[name]) emulators[name].faults.add(fault);
    },
    /** The index's backlog is gone: what its guard held may go on. */
    openGuard: (): void => main.putIndex(indexId, { pending_index_count: 0 }),
    /** The text of a file of the folder; empty where there is none. */
    read,
    /** What its daemons have written, one after the other. */
    logs: (): string =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".log"))
        .map((name) => `${name}\n${read(name)}`)
        .join("\n"),
    close: async (): Promise<void> => {
      const keys = (await core.redis.command("KEYS", `*${keyPrefix}:*`)) as string[];
      if (keys.length > 0) await core.redis.command("DEL", ...keys);
      await teardown.run(2_000);
      await Promise.all([main.close(), second.close(), receiver.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startOne(): Promise<Emulator> {
  return startEmulator({ retryScale: 0, dedupWindowMs, maxMessageBytes, seed: 1 });
}

const fates: Readonly<Record<Ending, Fate>> = {
  delivered: "republish",
  dropped: "drop",
  parked: "stay",
  refused: "stay",
  copied: "stay",
};

/** As the rules have it. A receiver on a busy machine may not answer in time; the drain `lane` alone has a rule for that. */
const isRepublished = (status: number, { root }: { readonly root: string }): boolean =>
  (status >= 500 && status <= 599) || (status === 0 && root.startsWith("lane-"));

function createSourceBooks(sourceId: SourceName, letters: readonly ScenarioLetter[]): Books {
  const books = createBooks({ sourceId, dedupWindowMs, isRepublished });
  for (const { key, source, dlqId, ending, fields } of letters) {
    if (source !== sourceId) continue;
    const bodySha256 = sha256(String(fields["body"]));
    books.judge.born({ dlqId, root: key, fate: fates[ending], bodySha256 }, 0);
  }
  return books;
}

/** The receiver fails the first delivery of what comes back, and takes everything else. */
function failOnce(letters: readonly ScenarioLetter[]): Receiver["answer"] {
  const toFail = new Set(letters.filter(({ comesBack }) => comesBack).map(({ key }) => key));
  return ({ body }) => (toFail.delete(keyOf(body) ?? "") ? 500 : 200);
}

/** The letter that a body is of; null for what is none of ours. */
export function keyOf(body: string): string | null {
  try {
    const { key } = JSON.parse(body) as { readonly key?: unknown };
    return typeof key === "string" ? key : null;
  } catch {
    return null;
  }
}
