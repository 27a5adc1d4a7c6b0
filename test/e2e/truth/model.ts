import { createHash } from "node:crypto";
import type { Emulator } from "../../../dev/emulator/index.ts";

/** What is seeded: so many dead letters that failed alike. Counts are what the test compares. */
export interface Kind {
  readonly name: string;
  readonly source: "eu" | "us";
  /** Of its receiver, without a path. */
  readonly origin: string;
  readonly status: number;
  readonly count: number;
  readonly topicName?: string;
  readonly ageMs: number;
}

interface Letter {
  readonly kind: string;
  readonly origin: string;
  readonly source: string;
  readonly topicName: string | undefined;
  readonly status: number;
  readonly enteredAt: number;
  readonly sha: string;
  acceptedAt: number;
  goneAt: number;
}

/** A number may be what was true at any moment between these. */
export interface Between {
  /** What has entered before this was listed; Unix ms. */
  readonly entered: number;
  /** What was accepted before this was counted. */
  readonly accepted: number;
  readonly now: number;
}

export type Which = (letter: Letter) => boolean;

/** Keeps what is in the queues of several emulators, by what they were seeded with and what their journals say. */
export function createTruth(emulators: Readonly<Record<"eu" | "us", Emulator>>) {
  const letters: Letter[] = [];
  const byId = new Map<string, Letter>();
  const bySha = new Map<string, Letter[]>();
  const read = new Map<string, number>();
  let seeded = 0;
  const keep = (dlqId: string, letter: Letter): void => {
    letters.push(letter);
    byId.set(dlqId, letter);
    bySha.set(letter.sha, [...(bySha.get(letter.sha) ?? []), letter]);
  };
  return {
    seed(
      { name, source, origin, status, count, topicName, ageMs }: Kind,
      toBody = (id: string) => `message ${id}`,
    ) {
      const at = Date.now() - ageMs;
      for (let index = 0; index < count; index += 1) {
        const dlqId = `${at + index}-${(seeded += 1)}`;
        const body = toBody(String(seeded));
        emulators[source].dlq.seed([
          {
            dlqId,
            url: `${origin}/hook`,
            createdAt: at + index - 5_000,
            responseStatus: status,
            responseBody: name,
            maxRetries: 0,
            body,
            ...(topicName === undefined ? {} : { topicName }),
          },
        ]);
        const sha = createHash("sha256").update(body).digest("hex");
        const of = { kind: name, origin, source, topicName, status, enteredAt: at + index, sha };
        keep(dlqId, { ...of, acceptedAt: Infinity, goneAt: Infinity });
      }
    },
    /** Reads on in the journals. */
    follow(): void {
      for (const [source, { journal }] of Object.entries(emulators)) {
        const from = read.get(source) ?? 0;
        for (const entry of journal.entries()) {
          if (entry.seq <= from) continue;
          read.set(source, entry.seq);
          if (entry.type === "accepted") {
            const letter = bySha.get(entry.bodySha256)?.find(({ acceptedAt }) => acceptedAt === Infinity);
            if (letter !== undefined) letter.acceptedAt = entry.at;
          } else if (entry.type === "deleted") {
            for (const dlqId of entry.dlqIds) {
              const letter = byId.get(dlqId);
              if (letter !== undefined) letter.goneAt = entry.at;
            }
          } else if (entry.type === "dead-lettered") {
            keep(entry.dlqId, {
              kind: `again ${entry.url}`,
              origin: new URL(entry.url).origin,
              source,
              topicName: undefined,
              status: entry.responseStatus,
              enteredAt: entry.at,
              sha: "",
              acceptedAt: Infinity,
              goneAt: Infinity,
            });
          }
        }
      }
    },
    /** At least and at most so many wait or are parked. */
    span(which: Which, { entered, accepted, now }: Between): readonly [number, number] {
      let [least, most] = [0, 0];
      for (const one of letters) {
        if (!which(one)) continue;
        const isOut = (by: number): boolean => Math.min(one.acceptedAt, one.goneAt) <= by;
        if (one.enteredAt <= entered && !isOut(now)) least += 1;
        if (one.enteredAt <= now && !isOut(accepted)) most += 1;
      }
      return [least, most];
    },
    /** At least and at most so many have ever entered; and of these, were accepted again. */
    ever(which: Which, { entered, accepted, now }: Between) {
      const own = letters.filter(which);
      const until = (at: number, of: "enteredAt" | "acceptedAt"): number =>
        own.filter((one) => one[of] <= at).length;
      return {
        arrived: [until(entered, "enteredAt"), until(now, "enteredAt")],
        sentAgain: [until(accepted, "acceptedAt"), until(now, "acceptedAt")],
      } as const;
    },
    /** The first entry of what is left: at the earliest and at the latest. */
    firstLeft(which: Which, { accepted, now }: Between): readonly [number, number] {
      const first = (by: number): number =>
        Math.min(
          ...letters
            .filter((one) => which(one) && Math.min(one.acceptedAt, one.goneAt) > by)
            .map(({ enteredAt }) => enteredAt),
        );
      return [first(accepted), first(now)];
    },
    /** The first entry of a kind. */
    firstOf: (name: string): number =>
      Math.min(...letters.filter(({ kind }) => kind === name).map(({ enteredAt }) => enteredAt)),
  };
}
