import type { DestinationPublishes } from "../../src/people/plan/destination-count.ts";
import type { EstimateInput } from "../../src/people/plan/estimate.ts";

export const to = (host: string, publishes: number, later = 0): DestinationPublishes => ({
  origin: host.includes(":") ? host : `https://${host}`,
  host,
  publishes,
  later,
});

export const input: EstimateInput = {
  limits: {},
  ruleRates: new Map(),
  counts: {
    destinations: [to("a.example.com", 400), to("b.example.com", 100)],
    ofRules: new Map(),
    again: 0,
  },
  room: { perDay: null },
};
