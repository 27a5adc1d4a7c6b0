/** A drains document that says every kind of thing once. */
export const wholeDocument = `version: 1
archive: { dir: /var/lib/redriver/archive }
sources:
  eu:
    url: https://qstash.upstash.io
    token: { file: /run/secrets/redriver/eu-token }
    watchDeliveries: true
drains:
  orders:
    source: eu
    mode: live
    select: { label: [orders, refunds] }
    limits: { perHost: 25/s }
    guards:
      - { index: catalog, hold: "pending_index_count > 10000", resume: "< 5000" }
    rules:
      - name: receiver-said-never
        when: { responseStatus: 489 }
        then: park
      - name: too-old-to-matter
        when: { messageAge: "> 48h", topicName: orders }
        then: drop
      - name: bad-deploy-acme
        ignoreAfter: 2026-12-01
        when:
          responseStatus: 422
          body: { /tenant: acme, /schema: "< 3" }
        then: republish
        set: { body: { merge: { schema: 3 } } }
      - name: receiver-moved
        when: { host: old.example.com }
        then: republish
        set: { destination: { host: new.example.com } }
      - name: outage
        when:
          responseStatus: [429, 502-504, none]
          host: "*.example.com"
        then: republish
        set: { retries: 1, delay: { spread: 10m }, headers: { X-Redriven: "true" } }
    tests:
      - name: a gateway timeout waits for its turn
        given: { url: https://api.example.com/orders, responseStatus: 504, topicName: orders, age: 40s }
        expect: { then: hold, rule: outage, reason: too-young }
      - name: an old order is archived, not replayed
        given: { url: https://api.example.com/orders, responseStatus: 504, topicName: orders, messageAge: 3d }
        expect: { then: drop, rule: too-old-to-matter }

indexes:
  catalog:
    id: 3f1c2d8e-catalog
    credentials: { user: { env: UPSTASH_EMAIL }, password: { env: UPSTASH_API_KEY } }
`;

/** Every form that a value may have. */
export const everyForm = `version: 1
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
      - when: { responseStatus: ["< 3", "> 5", 7-9, 5xx, none, ">= 0", { range: 1-2 }, { exists: false }], age: ["> 5m", 1h-2h, "<= 90s"], attempt: 2 }
        then: park
      - when: { all: [{ host: "a*" }, { host: ["b", "*b"] }], any: [{ path: "/*" }, { label: "5" }] }
        then: republish
        set: { destination: https://b/c, queue: q, retries: 3, headers: { X-Gone: null } }
      - { when: { not: { header: { X-A: none } } }, then: republish, set: { delay: 90s, destination: { scheme: http } }, ignoreAfter: 2027-01-01 }
      - { when: any, then: hold }
      - when:
          callerIp: [10.0.0.0/8, "2001:db8::/32", { in: ["::1"] }, { exists: false }]
          createdAt: ["< 2026-11-01", 2026-11-02, ">= 2026-11-03T10:00:00Z", 1700000000000, { exists: true }]
          notBefore: { exists: false }
          timeLeft: "< 6h"
          size: [{ exists: true }, "> 100"]
          topicName: [{ regex: "^a+$" }, { prefix: a* }, { suffix: z }, { equals: none }, { in: ["*", b] }, { exists: true }, "<x"]
          responseHeader: { A: none, B: { exists: true } }
          body: { /a: [1, "< 3", ">= -1.5", { range: 3-7 }, { equals: "< 3" }, true, null, "5", none, x*, { regex: "[.]" }], "/b~1c": { exists: true }, "": { exists: true } }
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
