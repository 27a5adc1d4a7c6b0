import { expect, test } from "vitest";
import { withoutComeBackWarnings, runHere, type CliHere } from "../../../support/cli.ts";
import { createEnv } from "../../../support/daemon.ts";
import { oddText, oddValues } from "../../../support/odd-fields.ts";
import { startService } from "../../../support/service.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: {} }
defaults: { minAge: 1s, lane: { canary: 5, watch: 2s, probeEvery: 1h } }
drains:
  orders:
    mode: live
    attempts: { max: 3, wait: [1s], then: park }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

const claim = "all clear: nothing waits";
const worst = `x\u001B[2J\u001B[31mRED\u0007\r\n${claim}\u0000\u202E\u2066\u2028y`;
const fields = [
  "queueName",
  "label",
  "topicName",
  "header",
  "responseBody",
  "url",
  "method",
  "flowControlKey",
];
const names = [
  "escapes of a terminal",
  "line breaks",
  "line separators",
  "NUL",
  "bidirectional controls",
  "a byte order mark",
  "100 KB",
];

/** What no command may write, but for its own line ends. A painted verdict has its colours. */
const raw = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Of the line below all output. */
const ownErase = "\r\u001B[2K";
/** Whose tables are cut to 80 columns on a terminal. */
const fitting = ["status", "failures", "lanes", "parked", "history"];

async function setUp() {
  const { emulator, receiver } = await startService({});
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
  const at = Date.now() - 3_600_000;
  let sequence = 0;
  const toRecord = (responseStatus: number, more: object = {}) => ({
    dlqId: `${at + (sequence += 1)}-0`,
    messageId: `msg_${sequence}`,
    url: `${receiver.url}/hook`,
    method: "POST",
    createdAt: at,
    header: {},
    body: `{"n":${sequence}}`,
    responseStatus,
    ...more,
  });
  const records = [503, 422].flatMap((status) => [
    ...fields.flatMap((field) => names.map((name) => oddText(toRecord(status), [[field, name]]))),
    oddText(toRecord(status, { queueName: worst, label: worst, responseBody: worst }), []),
    oddText(toRecord(status, { header: { "X-Odd": [worst] }, responseBody: worst, body: worst }), []),
  ]);
  const ids = emulator.dlq.seedTexts(records);
  receiver.answer = () => 503;
  const run = async (argv: readonly string[], here: CliHere = {}) =>
    withoutComeBackWarnings(await runHere(argv, { ...env, NO_COLOR: "1" }, here));
  await run(["drain", "orders", "--yes"]);
  await emulator.idle();
  return { run, ids };
}

test("no command writes what a terminal would act on, whatever a record is called", async () => {
  expect(Object.keys(oddValues)).toEqual(expect.arrayContaining(names));
  const { run, ids } = await setUp();
  const kinds = (await run(["failures", "list", "--all", "--json"])).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly id: string; readonly origin: string });
  expect(kinds.map(({ origin }) => origin)).toContain(`queue:${worst}`);
  const kind = kinds.find(({ origin }) => origin === `queue:${worst}`)!.id;
  const host = `queue:${worst}`;
  const parked = ids.at(-2)!;
  const because = ["--reason", worst, "--by", "ann"];
  const commands = [
    ["status"],
    ["status", "orders"],
    ["failures", "list", "--all"],
    ["failures", "list", "--host", host],
    ["failures", "show", kind],
    ["failures", "note", kind, "--text", worst, "--ticket", worst],
    ["failures", "quiet", kind, "--until", "2h"],
    ["failures", "show", kind],
    ["lanes"],
    ["lanes", "reset", host, ...because],
    ["lanes", "probe", host, ...because],
    ["pause", "--host", host, ...because],
    ["pause", "orders", ...because],
    ["pause", "--host", `${host}?`, ...because],
    ["status"],
    ["status", "orders"],
    ["plan", "orders"],
    ["plan", "orders", "--records"],
    ["plan", "orders", "--records", "--show-content"],
    ["plan", "orders", "--out", "-"],
    ["drain", "orders", "--yes"],
    ["resume", "orders", "--host", host, ...because],
    ["resume", "--host", host, ...because],
    ["resume", "orders", ...because],
    ["parked"],
    ["parked", "list"],
    ["parked", "list", "--host", "nobody*"],
    ["parked", "summary"],
    ["parked", "show", parked],
    ["parked", "show", parked, "--show-content"],
    ["rules", "explain", parked],
    ["rules", "explain", parked, "--show-content"],
    ["parked", "release", parked, "--yes", ...because],
    ["parked", "release", "--failure", kind, "--yes", ...because],
    ["history"],
    ["history", parked],
    ["history", "--summary"],
    ["doctor"],
  ];
  const wrong: string[] = [];
  for (const argv of commands) {
    for (const here of [{}, { terminal: true, confirm: true }]) {
      for (const more of [[], ["--json"]]) {
        if (argv.includes("--json") || (argv.includes("-") && more.length > 0)) continue;
        const { out, err, questions } = await run([...argv, ...more], here);
        const where = [...argv, ...more].join(" ").replaceAll(worst, "<worst>");
        const text = [out, err, ...questions].join("\n").replaceAll(ownErase, "");
        const found = raw.exec(text);
        if (found !== null)
          wrong.push(`${where}: ${JSON.stringify(text.slice(found.index - 60, found.index + 20))}`);
        if (text.split("\n").some((line) => line.startsWith(claim)))
          wrong.push(`${where}: a line of its own`);
        if (more.length === 0 && "terminal" in here) {
          if (!fitting.includes(argv[0]!) || argv[1] === "show") continue;
          // A command that is to be pasted is not broken.
          const wide = out
            .split("\n")
            .filter((line) => Array.from(line).length > 80 && !line.includes(" redriver "));
          wrong.push(...wide.map((line) => `${where}: ${line.length} columns: ${line}`));
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  // A queue has a name of 100 KB, and no terminal cuts a table.
  for (const argv of [["status"], ["failures", "list", "--all"], ["lanes"]]) {
    const { out } = await run(argv);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(420);
  }
});
