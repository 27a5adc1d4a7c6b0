import { expect } from "vitest";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import type { ParkedPage, ParkedPlace } from "../../src/job/contracts/ledger.ts";
import { takeCensus } from "../../src/job/census/count-and-copy-expiring.ts";
import { runHere } from "./cli.ts";
import { createConsoleStand } from "./console-stand.ts";
import { createEnv } from "./daemon.ts";
import { createFolder } from "./command.ts";
import { oddText, type Oddity } from "./odd-fields.ts";

/** How a drain meets odd records. */
export interface OddDrain {
  readonly mode: "live" | "plan";
  /** Of the drain, below its mode. */
  readonly lines: string;
  /** Whole lines at the top of the document. */
  readonly top?: (folder: string) => string;
  readonly source?: string;
  /** Since an odd record entered. */
  readonly ageMs?: number;
}

const ordinaryPerPage = 20;
const oddPerPage = 40;
const never = new AbortController().signal;

export interface OddLetter {
  readonly id: string;
  readonly oddities: readonly Oddity[];
}

/** What an answer was, if it was none. */
export type Failed = readonly [what: string, why: string];

/** Each is a command. */
const shownHistories = 10;

/** Odd records between ordinary ones in one queue, with the console and the commands of one installation. */
export async function createOddStand(redisUrl: string, drain: OddDrain, odd: readonly (readonly Oddity[])[]) {
  const { ageMs = 3_600_000 } = drain;
  const { path: folder } = createFolder({});
  const document = drain.top?.(folder) ?? "";
  const stand = await createConsoleStand({
    redisUrl,
    mode: drain.mode,
    drain: drain.lines,
    document,
    ...(drain.source === undefined ? {} : { source: drain.source }),
  });
  const { emulator, receiver, core } = stand;
  const enteredAt = Date.now() - ageMs;
  let sequence = 0;
  const ordinary = () => {
    sequence += 1;
    return {
      dlqId: `${enteredAt + sequence}-0`,
      messageId: `msg_odd-${sequence}`,
      url: `${receiver.url}/hook`,
      createdAt: enteredAt - 10_000,
      responseStatus: 503,
      method: "POST",
      header: {},
      body: `{"schema":2,"n":${sequence}}`,
    };
  };
  const letters: OddLetter[] = [];
  const others: string[] = [];
  const plainBodies = new Set<string>();
  for (let from = 0; from < odd.length; from += oddPerPage) {
    const some = odd.slice(from, from + oddPerPage);
    const plain = Array.from({ length: ordinaryPerPage }, ordinary);
    const records = some.map((oddities) => ({ record: ordinary(), oddities }));
    for (const { body } of plain) plainBodies.add(body);
    others.push(...emulator.dlq.seedTexts(plain.map((record) => oddText(record, []))));
    // The listed id may be anything, or none.
    const ids = emulator.dlq.seedTexts(records.map(({ record, oddities }) => oddText(record, oddities)));
    letters.push(...ids.map((id, index) => ({ id, oddities: records[index]?.oddities ?? [] })));
  }

  const { env } = createEnv({
    emulator,
    redisUrl,
    keyPrefix: core.settings.redis.keyPrefix,
    document: `version: 1\nsources:\n  default: ${drain.source ?? "{}"}\n${document}drains:\n  main:\n    mode: ${drain.mode}\n${drain.lines}`,
  });

  const run = async (...argv: readonly string[]): Promise<readonly Failed[]> => {
    const { exitCode, err } = await runHere(argv, env);
    return exitCode === 0 ? [] : [[argv.join(" ").slice(0, 100), `${exitCode}: ${err.slice(0, 300)}`]];
  };
  const page = async (path: string): Promise<readonly Failed[]> => {
    const answer = await stand.get(path);
    const text = await answer.text();
    return answer.status === 200 ? [] : [[path, `${answer.status}: ${text.slice(-300)}`]];
  };

  return {
    ...stand,
    env,
    letters,
    others,
    run,
    page,
    async census() {
      const { source, config } = stand.drain;
      const order = { source, drains: [config], documentHash: "h", archive: stand.drain.archive };
      return takeCensus(order, { signal: never, stopping: never });
    },
    /** The ordinary ones, each as often as its drain acts. */
    async expectOthersSentOnce(): Promise<void> {
      const sent = [...receiver.counts()].filter(([key]) => plainBodies.has(key));
      if (drain.mode === "plan") {
        expect(receiver.counts().size).toBe(0);
        return;
      }
      expect(others.filter((id) => emulator.dlq.find(id) !== undefined)).toEqual([]);
      expect(sent.filter(([, count]) => count !== 1)).toEqual([]);
    },
    /** Of each odd one it is known what became of it: what left was sent or archived, what is left was never sent. */
    async expectAccounted(): Promise<void> {
      const ids = letters.map(({ id }) => id as DlqId);
      for (let from = 0; from < ids.length; from += 100) {
        const some = ids.slice(from, from + 100);
        const { views } = await stand.drain.source.ledger.peek(some);
        const wrong = some.filter((id, index) => {
          const state = views[index]?.state ?? "absent";
          const isListed = emulator.dlq.find(id) !== undefined;
          return isListed ? !["absent", "parked", "cool"].includes(state) : state !== "gone";
        });
        expect(wrong).toEqual([]);
      }
    },
    /** Every parked one, a hundred at a time, and then their release. */
    async showParked(): Promise<readonly Failed[]> {
      const parked: DlqId[] = [];
      let place: ParkedPlace | null = null;
      do {
        const found: ParkedPage = await stand.drain.source.ledger.parked(place, 100);
        parked.push(...found.entries.map(({ dlqId }) => dlqId));
        place = found.next;
      } while (place !== null);
      const failed: Failed[] = [];
      for (let from = 0; from < parked.length; from += 100) {
        const some = parked.slice(from, from + 100);
        failed.push(...(await run("parked", "show", ...some, "--show-content")));
        failed.push(...(await run("parked", "show", ...some, "--json")));
        const release = ["--anyway", "--yes", "--reason", "they are looked at", "--by", "ann"];
        failed.push(...(await run("parked", "release", ...some, ...release)));
      }
      return failed;
    },
    /** Every command, page and call that shows all of them. */
    async showAll(): Promise<readonly Failed[]> {
      const failed: Failed[] = [];
      const kinds = (await stand.drain.source.failures.all()).map(({ id }) => id);
      const screens = ["/", "/failures", "/parked", "/history", "/report", "/rules", "/plans"];
      const calls = ["/status", "/failures?all=true", "/parked", "/history", "/report", "/lanes"];
      for (const id of kinds.slice(0, 30)) {
        screens.push(`/failures/${id}`);
        calls.push(`/failures/${id}?sample=true`);
      }
      for (const path of [...screens, ...calls.map((call) => `/api/v1${call}`)])
        failed.push(...(await page(path)));
      for (const argv of [
        ["status"],
        ["status", "--json"],
        ["failures", "list", "--all", "--json"],
        ["failures", "show", kinds[0] ?? ""],
        ["parked", "list", "--json"],
        ["parked", "list"],
        ["parked", "summary"],
        ["plan", "--all"],
        ["plan", "--all", "--json"],
        ["plan", "--all", "--records", "--show-content"],
        ["plan", "--all", "--records", "--json"],
        ["plan", "--all", "--out", `${folder}/plan-${sequence}.ndjson`],
        ["history", "--json"],
        ["report"],
        ["lanes", "list", "--json"],
      ]) {
        failed.push(...(await run(...argv)));
      }
      // One that lists another id is found by none.
      const ofOwnId = letters.filter(({ oddities }) => oddities.every(([field]) => field !== "dlqId"));
      for (const { id } of ofOwnId.slice(0, shownHistories)) failed.push(...(await run("history", id)));
      return failed;
    },
  };
}
