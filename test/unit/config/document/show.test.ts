import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { head, load, shownOf } from "../../../support/loaded-document.ts";

describe("config show of a document", () => {
  it("loads again and means the same", () => {
    const text = `version: 1
paused: true
sources: { eu: { url: https://a, token: { file: /f }, dedupWindow: 90m, census: 1h }, us: { id: us, token: { env: T }, callbacks: { url: "https://r/c", keys: [{ file: /k }, { env: K }] } } }
drains:
  a:
    source: eu
    mode: live
    schedule: { cron: "*/5 * * * *", timezone: Europe/Berlin }
    select: { topicName: [x], responseStatus: [503, 504] }
    attempts: { max: 2, wait: 1500ms, then: hold }
    rules:
      - when: { responseStatus: ["< 3", "> 5", 7-9, none, ">= 0"], age: ["> 5m", 1h-2h, "<= 90s"], attempt: 2 }
        then: park
      - when: { all: [{ host: "a*" }, { host: ["b", "*b"] }], any: [{ path: "/*" }, { label: "5" }] }
        then: republish
        set: { destination: https://b/c, queue: q, retries: 3, headers: { X-Gone: null } }
      - { when: { not: { header: { X-A: none } } }, then: republish, set: { delay: 90s, destination: { scheme: http } }, ignoreAfter: 2027-01-01 }
      - { when: any, then: hold }
      - when:
          callerIp: [10.0.0.0/8, "2001:db8::/32", { exists: false }]
          createdAt: ["< 2026-11-01", 2026-11-02, ">= 2026-11-03T10:00:00Z", { exists: true }]
          notBefore: { exists: false }
          timeLeft: "< 6h"
          size: [{ exists: true }, "> 100"]
          topicName: [{ regex: "^a+$" }, { prefix: a* }, { suffix: z }, { equals: none }, { in: ["*", b] }, { exists: true }, "<x"]
          responseHeader: { A: none, B: { exists: true } }
          body: { /a: [1, "< 3", ">= -1.5", { range: 3-7 }, { equals: "< 3" }, true, null, "5", none, x*, { regex: "[.]" }], "/b~1c": { exists: true } }
          responseBody: ["*late*", { suffix: "none" }]
        then: republish
        limit: 600/m
        set: { queue: null, method: put, retryDelay: "1000 * retried", timeout: 90s, callback: null, failureCallback: https://b/c, labels: [b, a], flowControl: { key: k, parallelism: 3, rate: 5, period: 1m } }
      - { when: { all: [{ body: { /a: [1, 2] } }, { body: { /a: 2 } }, { body: x }, { label: y }, { label: z }] }, then: republish, set: { flowControl: null, body: { merge: { gone: null } } } }
      - { when: { superseded: { body: /order/id }, not: { superseded: true } }, then: drop }
      - { when: { any: [{ body: { regex: /x } }, { not: { callerIp: none } }] }, then: republish, set: { body: { patch: [{ op: remove, path: /a }, { op: copy, from: /b, path: /c }] } } }
    guards: [{ index: i, hold: "pending_index_count > 10", resume: "< 5", whenStale: ignore }, { index: i, hold: "monthly_cost <= 3" }]
    lane: { canary: 3, watch: 90s, haltAt: 50% }
    limits: { publish: none, perHost: 90/m, perDay: 5 }
    onLoss: republish
    flowControl: { key: redriven, rate: 10, period: 1m }
    beforeExpiry: { within: 90m, then: nothing }
  b: { source: us, lane: none, otherwise: park, unknownOutcome: park, select: { fromDate: -36h, toDate: now, not: { responseStatus: 404, url: [https://b/c] } } }
  c: { source: us, limits: { perHost: { from: 20/s, to: 40/s } }, select: { fromDate: 2026-11-01, toDate: 2026-11-02T10:00:00Z } }
archive: { dir: /a, keep: 7d, volume: durable }
indexes: { i: { id: x, credentials: { user: { env: U }, password: { file: /p } }, period: 7d } }`;
    const { document } = load(text);
    const shown = shownOf(text);
    expect(load(shown).document.hash).toBe(document.hash);
    expect(load(shown).document.sources).toEqual(document.sources);
    expect(shown).toContain('age:\n            - "> 5m"');
    // What the drain takes from what is built in.
    expect(shown).toContain("    minAge: 2m\n");
    expect(shown).toContain("      perPass: 20000\n      perDay: 100000\n");
  });

  it("shows no header value, no query, no credentials and nothing that is written into bodies, and does not load where one was hidden", () => {
    const shown = shownOf(`${head}drains:
  orders:
    select: { url: "https://a/b?key=hunter1", not: { url: ["https://a/c?hunter14"] } }
    rules:
      - when: { header: { Authorization: "Bearer hunter2" }, url: "https://a/?k=hunter3*" }
        then: republish
        set:
          headers: { X-Key: hunter4 }
          destination: "https://b/?k=hunter5"
          callback: "https://hunter6:hunter7@b/?hunter8"
          body: { merge: { key: hunter9, list: [hunter10], gone: null } }
      - when: { responseHeader: { X-Key: [{ regex: hunter11 }, none] }, failureCallback: { suffix: hunter12 }, any: [{ not: { header: { X-A: { in: [hunter15] } } } }] }
        then: republish
        set: { body: { patch: [{ op: add, path: /a, value: { b: hunter13 } }] } }`);
    expect(shown).not.toContain("hunter");
    expect(shown.match(/\[set\]/g)).toHaveLength(14);
    expect(loadDocument(shown, "shown.yaml").ok).toBe(false);
  });
});
