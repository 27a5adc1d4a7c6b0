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
