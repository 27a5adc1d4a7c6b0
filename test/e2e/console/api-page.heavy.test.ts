import { expect, it } from "vitest";
import { runChild } from "../../support/child.ts";
import { createFolder } from "../../support/command.ts";
import { startConsole } from "../../support/console-forms.ts";
import { codeBlocks, readDoc, root } from "../../support/markdown.ts";
import { createPlanStand } from "../../support/plan-stand.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const page = readDoc("docs/console.md");
const base = "http://localhost:9468";
const token = "operator-token-0123456789";

const document = `
version: 1
sources: { default: {} }
defaults:
  schedule: { every: 500ms, full: 1s }
  minAge: 0s
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  orders:
    mode: live
    lane: { watch: 2s, probeEvery: 2s }
    select: { topicName: orders }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
  refunds:
    mode: plan
    lane: none
    select: { topicName: refunds }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

interface Example {
  /** As `GET /status`. */
  readonly heading: string;
  readonly command: string;
  readonly answer: unknown;
}

/** Each shell line below the heading of a path, and the answer below it. */
function examples(): readonly Example[] {
  const blocks = codeBlocks(page).filter(({ heading }) => /^(GET|POST) \//.test(heading));
  return blocks.flatMap(({ heading, language, text }, index) => {
    if (language !== "sh") return [];
    const next = blocks[index + 1];
    if (next?.heading !== heading || next.language !== "json") throw new Error(`no answer for ${text}`);
    return [{ heading, command: text, answer: JSON.parse(next.text) as unknown }];
  });
}

/**
 * Every key that the page shows is answered, with a value of the same kind, and no other key is. A key `…` stands
 * for more of them. Ids of the page are learned by their real ones.
 */
function compare(shown: unknown, real: unknown, at: string, ids: Map<string, string>): readonly string[] {
  if (Array.isArray(shown) && Array.isArray(real)) {
    if (shown.length > 0 && real.length === 0) return [`${at}: nothing is there`];
    return shown.flatMap((one, index) =>
      compare(one, real[Math.min(index, real.length - 1)], `${at}[${index}]`, ids),
    );
  }
  if (isRecord(shown) && isRecord(real)) {
    const { "…": more, ...fields } = shown;
    const missing = more === undefined ? Object.keys(real).filter((key) => !(key in fields)) : [];
    return [
      ...missing.map((key) => `${at}.${key}: the page lacks it`),
      ...Object.entries(fields).flatMap(([key, value]) => {
        // An hour or a time: another one is there.
        if (/^\d+$/.test(key)) return compare(value, Object.values(real)[0], `${at}.${key}`, ids);
        if (!(key in real)) return [`${at}.${key}: it is not answered`];
        if (key === "id" || key === "dlqId") ids.set(String(value), String(real[key]));
        return compare(value, real[key], `${at}.${key}`, ids);
      }),
    ];
  }
  return kindOf(shown) === kindOf(real) ? [] : [`${at}: ${kindOf(real)}, and ${kindOf(shown)} on the page`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}

it("answers each example of the page as the page shows it", async () => {
  const tokens = createFolder({ tokens: `ann operator ${token}\n` });
  const stand = await createPlanStand(redis.url(), {
    document,
    env: {
      REDRIVER_PUBLISH_MAX_ITEMS: "1",
      REDRIVER_CONSOLE_AUTH: "token",
      REDRIVER_CONSOLE_TOKEN_FILE: `${tokens.path}/tokens`,
    },
  });
  // Some of them wait still when a busy machine comes to ask for failures.
  stand.seed(300);
  stand.seed(2, { responseStatus: 422 });
  stand.seed(30, { topicName: "refunds" });
  // The plan is applied long enough to be stopped.
  stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 300 });
  const here = await startConsole(stand.env);
  const ids = new Map<string, string>();
  const ask = async (command: string) => {
    const known = [...ids].reduce((text, [shown, real]) => text.replaceAll(shown, real), command);
    const line = known.replace(base, here.url).replace("curl ", String.raw`curl -w '\n%{http_code}' `);
    const env = { PATH: process.env["PATH"] ?? "", TOKEN: token };
    const { exitCode, out } = await runChild("/bin/sh", ["-e", "-u", "-c", line], { cwd: root, env });
    const [, text = "", status] = /^(.*)\n(\d{3})$/s.exec(out) ?? [];
    if (exitCode !== 0 || status === undefined) throw new Error(`${exitCode}: ${out}`);
    return { status, answer: JSON.parse(text) as unknown };
  };
  for (const { heading, command, answer } of examples()) {
    const [, section = ""] = page.split(`\n### ${heading}\n`);
    const [, status] = /Answers (\d{3})/.exec(section) ?? [];
    const [method = ""] = heading.split(" ");
    const run = async () => {
      const real = await ask(command);
      return { heading, status: real.status, wrong: compare(answer, real.answer, "answer", ids) };
    };
    const expected = { heading, status, wrong: [] };
    expect(command).toContain(` "${base}/api/v1/`);
    // An act is done once; what a read shows may take a pass or two. A plan is removed once its work has ended.
    const done = method === "POST" && !heading.endsWith("/remove") ? await run() : null;
    await expect.poll(() => done ?? run(), { timeout: 10_000, interval: 250 }).toEqual(expected);
  }
});
