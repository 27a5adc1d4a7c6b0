/** A drains document that says every kind of thing once. */
export const wholeDocument = `# yaml-language-server: $schema=./schema/drains.schema.json
version: 1
paused: false                            # true: every replica stops before its next batch

archive: { dir: /var/lib/redriver/archive, keep: 30d }

sources:
  eu:                                    # its id; id: keeps it over a rename
    url: https://qstash.upstash.io       # absent: REDRIVER_SERVICE_URL
    token: { file: /run/secrets/redriver/eu-token }   # or { env: NAME }; never inline; re-read when it changes
    retention: 3d                        # your plan's; absent = 3d, the shortest
    dedupWindow: 10m                     # how long the service remembers a deduplication id
    census: 15m                          # lists without filter: depth, and records no drain selects
    watchDeliveries: true                # ask what is under way before silence counts as delivery

defaults:                                # what every drain gets; the values shown are the built-in ones
  mode: plan                             # plan = decide and report, change nothing; live = act
  schedule: { every: 30s, full: 30m }    # or { cron: "*/5 * * * *", timezone: Europe/Berlin, full: 30m }
  minAge: 2m
  attempts: { max: 5, wait: [2m, 10m, 1h, 4h], then: park }
  lane: { canary: 5, watch: 1m, haltAt: 20%, probeEvery: 5m }
  limits: { publish: 200/s, perHost: auto, perPass: 20000, perDay: none }   # all replicas together
  onLoss: park                           # what a rebuild cannot keep: park | republish
  unknownOutcome: republish              # outside the deduplication window: republish (may double, counted, named) | park
  beforeExpiry: { within: 12h, then: archive }   # a copy; the record is not deleted
  otherwise: hold                        # no rule matched: hold | park, never republish or drop

drains:
  orders:
    source: eu
    mode: live
    select: { label: [orders, refunds] }           # what the service filters; rules see all of it
    limits: { perHost: 25/s }
    guards:
      - { index: catalog, hold: "pending_index_count > 10000", resume: "< 5000", whenStale: hold }
    rules:
      - name: receiver-said-never
        when: { responseStatus: 489 }
        then: park
      - name: too-old-to-matter          # before anything that republishes
        when: { messageAge: "> 48h", topicName: orders }
        then: drop                       # archived first, always
      - name: bad-deploy-acme            # temporary: skipped, with a warning, after the date
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
          responseStatus: [429, 502-504, none]     # list = or, keys = and; none = no HTTP answer
          host: "*.example.com"
        then: republish
        set: { retries: 1, delay: { spread: 10m }, headers: { X-Redriven: "true" } }
    tests:                               # redriver rules test, and your own CI
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
    schedule: { every: 5m }
    period: 1h
`;
