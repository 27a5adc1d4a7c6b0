import { setTimeout as delay } from "node:timers/promises";
import { exactly, shown, type Figure } from "../../rig/figures.ts";
import type { Scene } from "./scene.ts";

/** A replica keeps its numbers for a second, and both are asked one after the other. */
const windowMs = 2_000;
const everyMs = 500;
const restTries = 10;
const movesWithinMs = 120_000;

interface Drain {
  readonly drain: string;
  readonly parked: number | null;
  readonly outlook: { readonly waiting: number };
  readonly destinations: readonly { readonly published: number; readonly arrived: number }[];
}

interface Status {
  readonly drains: readonly Drain[];
  readonly sources: readonly { readonly at: number }[];
  readonly documentHash: string;
  readonly replicas: readonly { readonly replica: string; readonly documentHash: string }[];
}

async function readStatus(url: string): Promise<Status> {
  return (await (await fetch(`${url}/api/v1/status`)).json()) as Status;
}

/** What a person reads on the page, without the name of the replica. */
async function readNow(url: string): Promise<string> {
  const html = await (await fetch(url)).text();
  return html.replaceAll(/replica \S+/g, "").replaceAll(/\s+/g, " ");
}

/** When it was read, and how long something lasts from then on, is by the clock of the replica. */
function withoutClock({ drains, sources, documentHash, replicas }: Status): string {
  const names = replicas.map(({ replica, documentHash: hash }) => `${replica} ${hash}`).toSorted();
  const facts = sources.map(({ at: _readAt, ...source }) => source);
  return JSON.stringify({ drains, facts, documentHash, names }, (key, value: unknown) =>
    key.endsWith("InMs") ? undefined : value,
  );
}

/** Two readings may lie on both sides of a replica's sign of life or of a minute: then once more. */
async function triesUntilSame(read: () => Promise<readonly string[]>): Promise<number> {
  for (let tries = 1; tries <= restTries; tries += 1) {
    const [one, other] = await read();
    if (one === other) return tries;
    await delay(1_100);
  }
  return Infinity;
}

export async function compareAtRest({ consoles, untilQuiet }: Scene): Promise<readonly Figure[]> {
  await untilQuiet();
  const both = <Answer>(read: (url: string) => Promise<Answer>): Promise<readonly Answer[]> =>
    Promise.all(consoles.map(read));
  const status = await triesUntilSame(() => both(async (url) => withoutClock(await readStatus(url))));
  const page = await triesUntilSame(() => both(readNow));
  return [
    exactly("replicas whose status differs", Number.isFinite(status) ? 0 : 1, 0),
    exactly("replicas whose page Now differs", Number.isFinite(page) ? 0 : 1, 0),
    shown("readings until they were the same", `${status}, ${page}`),
  ];
}

type Numbers = Readonly<Record<string, number>>;

interface Sample {
  readonly at: number;
  /** By replica. */
  readonly seen: readonly Numbers[];
}

async function readNumbers(url: string): Promise<Numbers> {
  const [{ drains }, page] = await Promise.all([readStatus(url), readNow(url)]);
  const orders = drains.filter(({ drain }) => drain === "orders");
  const sum = (of: (drain: Drain) => number): number => orders.reduce((total, one) => total + of(one), 0);
  const tiles = [...page.matchAll(/<strong[^>]*>([\d,]+)<\/strong> (?:<a [^>]*>)?([a-z ]+)/g)].map(
    ([, count = "", name = ""]) => [`tile ${name.trim()}`, Number(count.replaceAll(",", ""))],
  );
  return {
    waiting: sum(({ outlook }) => outlook.waiting),
    published: sum(({ destinations }) => destinations.reduce((total, one) => total + one.published, 0)),
    ...Object.fromEntries(tiles),
  };
}

/** Every number that one replica shows lies between those that the other shows shortly before and after. */
export async function compareInMotion(scene: Scene, messages: number): Promise<readonly Figure[]> {
  await scene.move(messages);
  const samples: Sample[] = [];
  const deadline = performance.now() + movesWithinMs;
  const isDone = ({ seen }: Sample): boolean =>
    seen.every(({ published, waiting }) => published === messages && waiting === 0);
  const sample = async (): Promise<Sample> => {
    const one = { at: performance.now(), seen: await Promise.all(scene.consoles.map(readNumbers)) };
    samples.push(one);
    return one;
  };
  while (!isDone(await sample()) && performance.now() < deadline) await delay(everyMs);
  const last = samples.at(-1)!;
  const changes = new Set(samples.map(({ seen }) => seen[0]!["published"])).size;
  return [
    exactly("numbers that only one replica showed", findStrangers(samples).length, 0),
    shown("such numbers", findStrangers(samples).slice(0, 5).join("; ") || "none"),
    shown("readings of both, and different ones", `${samples.length}, ${changes}`),
    ...last.seen.map((seen, index) =>
      exactly(`redriven at the end, by replica ${index + 1}`, seen["published"] ?? 0, messages),
    ),
  ];
}

function findStrangers(samples: readonly Sample[]): readonly string[] {
  const [first, end] = [samples[0]!.at + windowMs, samples.at(-1)!.at - windowMs];
  return samples
    .filter(({ at }) => at >= first && at <= end)
    .flatMap(({ at, seen }) => {
      const near = samples.filter((other) => Math.abs(other.at - at) <= windowMs);
      return seen.flatMap((numbers, replica) =>
        Object.entries(numbers).flatMap(([name, value]) => {
          const others = near.map((one) => one.seen[1 - replica]![name] ?? NaN);
          const isKnown = value >= Math.min(...others) && value <= Math.max(...others);
          return isKnown
            ? []
            : [`${name} ${value}, the other ${Math.min(...others)} to ${Math.max(...others)}`];
        }),
      );
    });
}
