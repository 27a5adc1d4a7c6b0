/** Figures that several pages name, held against where they come from. */
import { describe, expect, it } from "vitest";
import { toLedgerLimits } from "../../src/config/settings/ledger-limits.ts";
import { loadSettings } from "../../src/config/settings/load-settings.ts";
import { builtInAuto } from "../../src/job/contracts/auto-rate.ts";
import { postHorizonMs, takeoverAfterMs } from "../../src/job/contracts/ledger-limits.ts";
import { auditLimits } from "../../src/job/store/audit/redis-audit.ts";
import { loaded } from "../support/drains-documents.ts";
import { readDoc, tableRows } from "../support/markdown.ts";

const document = loaded(
  "version: 1\nsources: { default: {} }\ndrains: { one: { rules: [] } }\n",
  "drains.yaml",
);
const outcome = loadSettings({ env: {}, flags: {} });
if (!outcome.ok) throw new Error("expected settings that load without being given any");
const { settings } = outcome;
const limits = toLedgerLimits(settings, document, document.sources[0]!);
const drain = document.drains[0]!;
const lane = drain.lane!;

const numbers = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
const inWords = (count: number): string => numbers[count] ?? String(count);
const minutes = (ms: number): number => ms / 60_000;
const hours = (ms: number): number => ms / 3_600_000;
const seconds = (ms: number): number => ms / 1_000;

const minAge = minutes(drain.minAgeMs);
const horizon = minutes(postHorizonMs(limits));
const window = minutes(limits.dedupWindowMs);
const takeover = seconds(takeoverAfterMs(limits));
const sweep = seconds(settings.sweep.everyMs);
const full = minutes(drain.fullEveryMs);
const expiry = hours(drain.beforeExpiry.withinMs);
const canaries = inWords(lane.canary);
const { openFrom } = lane;
const { fromPerSecond, toPerSecond } = builtInAuto;
const auditDays = hours(auditLimits.keepMs) / 24;
const auditMiB = auditLimits.maxBytes / 1_048_576;

/** What a page says, of which each number comes from the code. */
const said: readonly (readonly [page: string, text: string])[] = [
  ["docs/faq.md", `it is younger than \`minAge\` (${minAge} minutes)`],
  ["README.md", `One is ${inWords(horizon)} minutes without an answer`],
  ["docs/faq.md", `If that took more than ${inWords(horizon)} minutes`],
  ["ARCHITECTURE.md", `| ${horizon} min after the first begin of a series.`],
  ["ARCHITECTURE.md", `remembers a deduplication id: ${window} min unless set.`],
  ["docs/guarantees.md", `Built in, it is ${inWords(window)} minutes.`],
  ["docs/faq.md", `remembers its ids for ${inWords(window)} minutes`],
  ["docs/guarantees.md", `${inWords(horizon)} minutes after the first try of an id`],
  ["docs/internals/recovery.md", `${inWords(horizon)} minutes after its first try`],
  ["docs/rules.md", `the horizon is ${inWords(horizon)} minutes after the first try`],
  ["docs/internals/decisions.md", `after its horizon (${horizon} min)`],
  ["docs/guarantees.md", `goes out, up to ${inWords(minutes(limits.maxPageAgeMs))} minutes later`],
  ["docs/guarantees.md", `${takeover} s after the last try (\`takeoverAfter\`)`],
  ["docs/guarantees.md", `\`takeoverAfter\` (built in, ${takeover} s) and one sweep (${sweep} s)`],
  ["docs/internals/recovery.md", `takeover (${takeover} s) and the next sweep (${sweep} s)`],
  ["docs/internals/recovery.md", `## The longest stall: ${takeover + sweep} s`],
  [
    "docs/guarantees.md",
    `has waited more than ${inWords(minutes(limits.settleGateAgeMs))} minutes for its delete`,
  ],
  ["docs/guarantees.md", `more than ${limits.settleGateFailedDeletes.toLocaleString("en")} have failed`],
  ["docs/faq.md", `Those come every ${full} minutes.`],
  ["docs/runbooks-system.md", `Full passes come every ${full} minutes by default.`],
  ["docs/faq.md", `After \`attempts.max\` redrives (${drain.attempts.max})`],
  ["docs/faq.md", `copied in its last ${inWords(expiry)} hours`],
  ["docs/comparison.md", `copied in its last ${inWords(expiry)} hours`],
  ["docs/runbooks.md", `${expiry} hours by default`],
  ["README.md", `A new destination gets ${canaries} messages`],
  ["docs/kubernetes-quick-start.md", `Each destination gets ${canaries} messages first`],
  ["docs/comparison.md", `| ${canaries} first, then more`],
  ["docs/upgrading.md", `begins at ${fromPerSecond}/s and doubles each minute, up to ${toPerSecond}/s`],
  ["docs/rules.md", `It begins at ${fromPerSecond}/s.`],
  ["docs/lanes.md", `${fromPerSecond}/s at first, and up to ${toPerSecond}/s while nothing fails`],
  ["docs/lanes.md", `${fromPerSecond}/s × 60 s / 2 = ${openFrom}`],
  ["docs/lanes.md", `\`openFrom\` (${openFrom}) or more`],
  ["docs/lanes.md", `the next step would be ${openFrom} or more`],
  ["docs/upgrading.md", `publishes at most ${drain.limits.publish!.count}/s`],
  ["docs/audit.md", `Entries are kept ${auditDays} days.`],
  ["docs/audit.md", `the newest ${auditMiB} MiB.`],
  ["docs/security.md", `audit in Redis: ${auditDays} days`],
  ["docs/redis.md", `${auditDays} days for its three acts, at most ${auditMiB} MiB for each source`],
];

describe("a figure on a page is that of the code", () => {
  it.each(said)("%s: %s", (page, text) => {
    expect(readDoc(page).replaceAll(/\s+/g, " ").includes(text)).toBe(true);
  });
});

describe("a figure on several pages is the same", () => {
  it("of the memory of Redis", () => {
    const [, ofSource] = /(\d+ MB) for each busy source/.exec(readDoc("docs/redis.md")) ?? [];
    expect(readDoc("README.md")).toContain(`${ofSource} for a busy source`);
  });

  it("of the memory of a replica", () => {
    const small = tableRows(readDoc("docs/upgrading.md"), ["your messages", "limit", "heap"]).slice(0, 2);
    const advice = tableRows(readDoc("docs/internals/memory.md"), ["you have", "then"]).slice(0, 2);
    expect(
      small.map(([size, limit, heap]) => [`messages ${size}`, `${limit} with a heap of ${heap} is enough`]),
    ).toEqual(advice);
  });
});
