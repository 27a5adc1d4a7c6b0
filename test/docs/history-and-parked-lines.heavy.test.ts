import { expect, it } from "vitest";
import { parkReasons } from "../../src/job/message/park-reasons.ts";
import { createCommandStand } from "../support/command-stand.ts";
import { codeBlocks, codeSpans, documentPages, readDoc } from "../support/markdown.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();

/** As they stand in text and in blocks, without what a shell does with their output. */
function linesOf(page: string): readonly string[] {
  const text = readDoc(page);
  const blocks = codeBlocks(text).flatMap((block) => block.text.split("\n"));
  return [...codeSpans(text), ...blocks].flatMap((line) => {
    const command = /^redriver (?:history|parked)\b[^|#]*/.exec(line.trim());
    return command === null ? [] : [command[0].trim()];
  });
}

const lines = [...new Set(documentPages.flatMap(linesOf))];

/** The words of a line as a shell makes them. */
function toArgv(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map(([, one, two, three]) => one ?? two ?? three ?? "")
    .slice(1);
}

/** With something for what is to be filled in. */
function filled(line: string, dlqId: string, failure: string): string {
  return line
    .replaceAll(/(?<=--failure )[0-9a-f]{10}/g, failure)
    .replaceAll(/<dlqId>|1725323658779-0|msg_26hZCxZCuWyyTWPmSVBrNB8/g, dlqId)
    .replaceAll(/<drain>|<old name>/g, "orders")
    .replaceAll("<host>", "127.0.0.1")
    .replaceAll("<reason>", "attempts-exhausted");
}

it("lines of redriver history and redriver parked in the docs work as written", async () => {
  expect(lines.length).toBeGreaterThan(25);
  expect(lines).toEqual(expect.arrayContaining(["redriver history", "redriver parked list --drain <drain>"]));
  const { seed, drain, run, rows } = await createCommandStand(redis.url());
  const failed: unknown[] = [];
  let failure = "";
  for (const line of lines) {
    // One that is parked, also behind a line that releases.
    const [dlqId = ""] = seed(1);
    await drain();
    if (failure === "") failure = String((await rows("failures", "--all"))[0]?.["id"]);
    const argv = toArgv(filled(line, dlqId, failure));
    // The name of a command that needs more is no line to run.
    const isName = argv.length === 2 && ["show", "release"].includes(argv[1] ?? "");
    const whole = isName ? [...argv, "--help"] : argv;
    const { exitCode, err } = await run(whole, { terminal: true, confirm: true });
    if (exitCode !== 0 || /[<>]/.test(argv.join(" "))) failed.push({ line, exitCode, err });
  }
  expect(failed).toEqual([]);
}, 120_000);

it("parked release of the docs names reasons that there are", () => {
  const named = lines.flatMap((line) => /--for ([a-z-]+)/.exec(line)?.[1] ?? []);
  expect(parkReasons).toEqual(expect.arrayContaining(named));
});
