/** What a drain of the bench is set to, besides the built-in values. */
export interface DrainOptions {
  readonly schedule: string;
  /** Further keys of the drain, a line each. */
  readonly more?: readonly string[];
}

const ruleCount = 20;

/**
 * Twenty rules over fields, headers, ranges, globs and ages. The last one matches, so each record asks them
 * all. No limits, no lanes, no archive.
 */
export function toDocument({ schedule, more = [] }: DrainOptions): string {
  const refusing = Array.from({ length: ruleCount - 1 }, (_, n) => {
    const kinds = [
      `responseStatus: [${410 + n}, ${520 + n}-${530 + n}], topicName: topic-${n}`,
      `path: { prefix: /v${n}/ }, method: POST`,
      `header: { X-Tenant: tenant-${n} }, messageAge: "> 1h"`,
      `host: "*.region-${n}.example.com"`,
      `queueName: [queue-${n}, queue-${n + 1}], attempt: "< 3"`,
    ];
    return `      - { name: rule-${n}, when: { ${kinds[n % kinds.length]} }, then: park }`;
  });
  return `
version: 1
sources: { default: { retention: 7d } }
drains:
  main:
    mode: live
    schedule: ${schedule}
    lane: none
    limits: { publish: none, perHost: none, perPass: none, perDay: none }
${more.map((line) => `    ${line}\n`).join("")}    rules:
${refusing.join("\n")}
      - { name: outage, when: { responseStatus: [502-504, none], host: "*.example.com" }, then: republish }
`;
}
