export const sourceId = "default";

/** The service's, as shipped: neither it nor a setting of the ledger is shortened here. */
export const dedupWindowMs = 600_000;

/** For the shares that no batch carries. */
const byService =
  '\n      - { name: own, when: { any: [{ bodyBase64: "*" }, { body: "REDACTED:*" }, { callback: "*" }] }, then: republish, via: service }';

/**
 * The production document, but that it waits for nothing: no age, no lane, no limits, a pass every few
 * seconds.
 */
export function toDocument(archiveDir: string, isByService = false): string {
  return `
version: 1
archive: { dir: ${archiveDir}, keep: 30d }
sources: { ${sourceId}: { retention: 3d${isByService ? ", serviceRetry: true" : ""} } }
defaults:
  mode: live
  schedule: { every: 5s, full: 30s }
  minAge: 0s
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
  otherwise: hold
drains:
  everything:
    attempts: { max: 5, wait: [${isByService ? "0s" : "2m"}, 10m, 1h, 4h], then: park }
    rules:${isByService ? byService : ""}
      - { name: receiver-said-never, when: { responseStatus: 489 }, then: park }
      - { name: outage, when: { responseStatus: [429, 502-504, none] }, then: republish }
`;
}

/** As its rules have it; 0: no HTTP answer. */
export const isRepublished = (responseStatus: number): boolean =>
  [0, 429, 502, 503, 504].includes(responseStatus);
