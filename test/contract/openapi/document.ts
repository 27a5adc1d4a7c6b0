export const sourceId = "default";
export const indexId = "demo";

export interface Places {
  readonly archiveDir: string;
  /** Receivers without a path: of plain drains, and of the one with lanes. */
  readonly plainUrl: string;
  readonly triedUrl: string;
  readonly callbacksUrl: string;
  readonly signingKeyFile: string;
}

/** Where the messages of each drain go. */
export const toDestinations = ({ plainUrl, triedUrl }: Pick<Places, "plainUrl" | "triedUrl">) => ({
  forms: `${plainUrl}/hook`,
  changed: `${plainUrl}/changed`,
  sorted: `${plainUrl}/sorted`,
  tried: `${triedUrl}/hook`,
});

/** Live drains for what redriver sends, and planning ones that ask with every filter. */
export function toDocument(places: Places): string {
  const { archiveDir, callbacksUrl, signingKeyFile, plainUrl } = places;
  const at = toDestinations(places);
  return `
version: 1
archive: { dir: ${archiveDir}, keep: 30d, volume: ephemeral }
sources:
  ${sourceId}:
    listByIds: true
    callbacks: { url: "${callbacksUrl}", keys: [{ file: ${signingKeyFile} }] }
defaults:
  mode: live
  schedule: { every: 1s, full: 3s }
  minAge: 0s
  lane: none
  onLoss: republish
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
  attempts: { max: 5, wait: [1s], then: park }
  otherwise: park
drains:
  forms:
    select: { url: "${at.forms}" }
    guards: [{ index: catalog, hold: "pending_index_count > 1000000000" }]
    rules: [{ name: all, when: any, then: republish }]
  changed:
    select: { url: ["${at.changed}"] }
    flowControl: { key: redriven, rate: 100, period: 1s, parallelism: 50 }
    rules:
      - name: other-headers
        when: { responseStatus: 500 }
        then: republish
        set:
          method: PUT
          headers: { X-Redriven: "true", X-Legacy: null }
          body: { merge: { schema: 3 } }
          delay: { spread: 2s }
          retries: 1
          retryDelay: "1000 * (1 + retried)"
          timeout: 30s
          callback: "${plainUrl}/back"
          failureCallback: "${plainUrl}/failed"
          labels: [changed, twice]
      - name: by-queue
        when: { responseStatus: 502 }
        then: republish
        set: { queue: replays, flowControl: null }
      - name: elsewhere
        when: { responseStatus: 503 }
        then: republish
        set: { destination: { path: /hook }, delay: 1s, flowControl: { key: other, parallelism: 2 } }
  sorted:
    select: { url: "${at.sorted}" }
    rules:
      - { name: too-old, when: { responseStatus: 410 }, then: drop }
      - { name: never, when: { responseStatus: 489 }, then: park }
  tried:
    select: { url: "${at.tried}" }
    lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 2s }
    rules: [{ name: all, when: any, then: republish }]
  every-filter:
    mode: plan
    select:
      url: ["${at.forms}", "${at.changed}"]
      topicName: [billing, audit]
      scheduleId: scd_daily
      queueName: [mail, orders]
      responseStatus: [500, 503]
      callerIp: ["203.0.113.7", "2001:db8::17"]
      label: [orders, vip]
      fromDate: -2d
      toDate: 2040-01-01
    rules: [{ name: all, when: any, then: hold }]
  one-message:
    mode: plan
    select: { messageId: msg_nobody }
    rules: [{ name: all, when: any, then: hold }]
  by-flow-key:
    mode: plan
    select: { flowControlKey: [tenant-a, tenant-b] }
    rules: [{ name: all, when: any, then: hold }]
indexes:
  catalog:
    id: ${indexId}
    credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }
`;
}
