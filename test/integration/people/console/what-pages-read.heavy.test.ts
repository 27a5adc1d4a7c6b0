import { expect, it, onTestFinished } from "vitest";
import { screens } from "../../../../src/people/console/screens/screens.ts";
import { createConsoleStand } from "../../../support/console-stand.ts";
import { watchRedis } from "../../../support/redis-watch.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const redis = useRedis("own");

const drain = `
    minAge: 0s
    lane: none
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: wait, when: { responseStatus: 503 }, then: hold }
`;

/** A console with something parked and something that waits, and the path of each screen. */
async function setUp() {
  const stand = await createConsoleStand({ redisUrl: redis.url(), drain });
  stand.seed(3, { url: "https://pay.example.com/hook" });
  const [parked = ""] = stand.seed(3, { url: "https://mail.example.com/hook", responseStatus: 422 });
  await stand.pass();
  const failure = `/failures/${await stand.kindOf("mail")}`;
  await drawOften(stand.page, ["/", "/failures", failure, "/plans", "/rules"]);
  const calls = (): number => stand.emulator.journal.entries("request").length;
  return { ...stand, parked, failure, calls };
}

/** Code that is new to V8 costs ten times as much, and dear pages are renewed every thirty seconds. */
async function drawOften(draw: (path: string) => Promise<unknown>, paths: readonly string[]): Promise<void> {
  for (let times = 0; times < 8; times += 1) for (const path of paths) await draw(path);
}

type Stand = Awaited<ReturnType<typeof setUp>>;

/** As browsers that show these pages. Resolves when each has got its sections. */
async function openTabs({ url }: Stand, paths: readonly string[]): Promise<() => void> {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  let live = 0;
  for (const path of paths) {
    const answer = await fetch(`${url}/live${path}`, { signal: closing.signal });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    void (async () => {
      let isLive = false;
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (!isLive && part.value.includes("event: sections")) {
          isLive = true;
          live += 1;
        }
      }
    })().catch(() => undefined);
  }
  await waitFor(() => expect(live).toBe(paths.length));
  return () => closing.abort();
}

it("a page of any screen reads Redis and calls no service, also while it is live", async () => {
  const stand = await setUp();
  const { failure, calls, get } = stand;
  const before = calls();
  const shown = screens.map(({ path }) => path.replace("/failures/:id", failure));
  const paths = shown.filter((path) => !path.includes(":"));
  expect(paths).toEqual(
    expect.arrayContaining([
      "/",
      "/failures",
      failure,
      "/plans",
      "/parked",
      "/history",
      "/report",
      "/rules",
      "/indexes",
    ]),
  );
  for (const path of [...paths, "/parked?reason=rule", "/history?act=park", "/api/v1/status"]) {
    expect({ path, status: (await get(path)).status }).toEqual({ path, status: 200 });
  }
  await openTabs(stand, ["/", "/failures", failure, "/plans", "/rules"]);
  expect(calls()).toBe(before);
  // The page of one dead letter is the exception, so that what counts calls is known to count.
  expect((await get(`/messages/default/${stand.parked}`)).status).toBe(200);
  expect(calls()).toBeGreaterThan(before);
}, 60_000);

/** Each reading of what the passes have counted asks Redis how it is, once. */
const isReading = (line: string): boolean => line.includes('"INFO"');

/** When a command came, by the clock of Redis, in seconds. */
const atOf = (line = ""): number => Number(line.slice(1).split(" ")[0]);

/** From one reading to the next: seconds, and commands of whatever kind. */
async function watchReadings(count: number) {
  const watch = await watchRedis(redis.url());
  const lines = (): readonly string[] =>
    watch
      .text()
      .split("\r\n")
      .filter((line) => line.startsWith("+"));
  // Pages that are dear, as on a busy machine, are read every thirty seconds.
  await waitFor(() => expect(lines().filter(isReading).length).toBeGreaterThan(count), { timeout: 100_000 });
  const all = lines();
  const starts = all.flatMap((line, index) => (isReading(line) ? [index] : [])).slice(0, count + 1);
  return starts.slice(1).map((end, index) => {
    const start = starts[index] ?? 0;
    return { seconds: atOf(all[end]) - atOf(all[start]), commands: end - start };
  });
}

const commandsOf = async (): Promise<number> =>
  Math.min(...(await watchReadings(2)).map(({ commands }) => commands));

it("ten tabs share one reading every two seconds at most, whatever they show, and send Redis as many commands as one", async () => {
  const stand = await setUp();
  const closeOne = await openTabs(stand, ["/"]);
  const ofOne = await commandsOf();
  closeOne();
  expect(ofOne).toBeGreaterThan(3);
  const closeTen = await openTabs(stand, Array<string>(10).fill("/"));
  expect(await commandsOf()).toBe(ofOne);
  closeTen();
  await openTabs(stand, ["/", "/", "/", "/failures", "/failures", stand.failure, stand.failure]);
  await openTabs(stand, ["/rules", "/rules", "/plans"]);
  const readings = await watchReadings(2);
  // Timers are not early; the last digits of a clock may be.
  expect(Math.min(...readings.map(({ seconds }) => seconds))).toBeGreaterThan(1.95);
}, 240_000);
