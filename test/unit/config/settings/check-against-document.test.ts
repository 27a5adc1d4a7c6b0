import { describe, expect, it } from "vitest";
import { formatProblem } from "../../../../src/config/problem.ts";
import { checkFit, checkInequality } from "../../../../src/config/settings/check-against-document.ts";
import { toLedgerLimits } from "../../../../src/config/settings/ledger-limits.ts";
import { grantLifeMs, postHorizonMs, takeoverAfterMs } from "../../../../src/job/contracts/ledger-limits.ts";
import { load as loadDocument } from "../../../support/loaded-document.ts";
import { useSettings } from "../../../support/settings.ts";

const { load } = useSettings();
const settingsOf = (env: Record<string, string> = {}) => load({ env });
const documentOf = (sources: string, drains = "{}") =>
  loadDocument(`version: 1\nsources: ${sources}\ndrains: ${drains}`).document;

const account = { REDRIVER_SERVICE_URL: "http://service.example", REDRIVER_SERVICE_TOKEN: "t" };

const inequalityOf = (window: string, env: Record<string, string> = {}) =>
  checkInequality(settingsOf(env), documentOf(`{ eu: { dedupWindow: ${window} } }`)).map(formatProblem);

const fitOf = (env: Record<string, string>, sources: string, drains?: string) =>
  checkFit(settingsOf(env), documentOf(sources, drains)).map(formatProblem);

describe("a lane's grant", () => {
  it.each([
    [{}, 120_000],
    [{ REDRIVER_LEDGER_MAX_PAGE_AGE: "9m" }, 168_000],
    [{ REDRIVER_LEDGER_MAX_PAGE_AGE: "10s", REDRIVER_SERVICE_BATCH_TIMEOUT: "3s" }, 38_000],
  ])("outlives what is begun of it and the POST that was begun last: with %j by %d ms", (env, ms) => {
    const document = documentOf("{ eu: {} }");
    expect(grantLifeMs(toLedgerLimits(settingsOf(env), document, document.sources[0]!))).toBe(ms);
  });
});

describe("the inequality of the ledger", () => {
  it("is refused with the settings and the numbers that break it", () => {
    expect(inequalityOf("4m")[0]).toBe(
      "sources.eu.dedupWindow: expected more than 4m, got 4m: dedupWindow 4m - ledger.sendBy 15s - ledger.networkDelay 2m" +
        " - 45s = 1m must exceed ledger.sendBy 15s + service.batchTimeout 30s + 15s = 1m",
    );
  });

  it.each([
    ["10m", {}, true],
    ["10m", { REDRIVER_SERVICE_BATCH_TIMEOUT: "6m30s" }, false],
    ["10m", { REDRIVER_SERVICE_BATCH_TIMEOUT: "6m29s" }, true],
    ["10m", { REDRIVER_LEDGER_NETWORK_DELAY: "7m59s" }, true],
  ])("with a window of %s and %j: %s", (window, env, holds) => {
    expect(inequalityOf(window, env).length === 0).toBe(holds);
    const document = documentOf(`{ eu: { dedupWindow: ${window} } }`);
    const limits = toLedgerLimits(settingsOf(env), document, document.sources[0]!);
    expect(postHorizonMs(limits) > takeoverAfterMs(limits)).toBe(holds);
  });

  it.each([
    [{ REDRIVER_LEDGER_MAX_PAGE_AGE: "10m" }, "ledger.maxPageAge", "10m"],
    [{ REDRIVER_LEDGER_SETTLE_GATE_AGE: "11m" }, "ledger.settleGateAge", "11m"],
  ])("%j outlives the window", (env, setting, got) => {
    const expected = "expected less than sources.eu.dedupWindow 10m";
    expect(inequalityOf("10m", env)).toEqual([`${setting}: ${expected}, got ${got}`]);
  });
});

describe("limits of a source's ledger", () => {
  it("keep a tombstone above the page's age and two full passes of its slowest drain", () => {
    const document = documentOf(
      "{ eu: { url: 'http://a' }, us: { url: 'http://b' } }",
      "{ a: { source: eu, schedule: { full: 3h } }, b: { source: eu, select: { label: b } }, c: { source: us, schedule: { full: 9h } } }",
    );
    const limits = document.sources.map(
      (source) => toLedgerLimits(settingsOf(), document, source).tombstoneMs,
    );
    expect(limits).toEqual([7 * 3_600_000, 19 * 3_600_000]);
  });
});

describe("settings and document together", () => {
  it("fit when each source has an address and a token", () => {
    expect(fitOf(account, "{ default: {} }")).toEqual([]);
    expect(fitOf({}, "{ eu: { url: 'http://a', token: { env: T } } }")).toEqual([]);
  });

  it("tell what a source lacks", () => {
    expect(fitOf({}, "{ default: {} }")).toEqual([
      "sources.default.url: expected an address: its url, or service.url (REDRIVER_SERVICE_URL)",
      "sources.default.token: expected a token: its token { file } or { env }, or REDRIVER_SERVICE_TOKEN or REDRIVER_SERVICE_TOKEN_FILE",
    ]);
  });

  it("refuse one account as two sources", () => {
    expect(fitOf(account, "{ a: {}, b: { url: 'http://service.example/' } }")).toEqual([
      "sources.b: expected another url or token than source a: one account is one source",
    ]);
    const env = { REDRIVER_SERVICE_URL: account.REDRIVER_SERVICE_URL, REDRIVER_SERVICE_TOKEN_FILE: "/t" };
    expect(fitOf(env, "{ a: {}, b: { token: { file: /t } } }")).toHaveLength(1);
  });

  it("refuse headers under the service's own prefix, which a rebuild would pass over", () => {
    const drains =
      "{ a: { rules: [{ when: any, then: republish, set: { headers: { upstash-Delay: 1m } } }] } }";
    expect(fitOf(account, "{ a: {} }", drains)).toEqual([
      "drains.a.rules[0].set.headers.upstash-Delay: expected a header name that does not begin with Upstash- (service.headerPrefix)",
    ]);
    expect(fitOf({ ...account, REDRIVER_SERVICE_HEADER_PREFIX: "Service-" }, "{ a: {} }", drains)).toEqual(
      [],
    );
  });
});
