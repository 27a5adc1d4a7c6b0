import { graph, ofAlert, query, type Section } from "../panels.ts";

export const lanes: Section = {
  title: "Lanes",
  panels: [
    graph(
      "Destinations by state",
      query("sum by (state) (max by (namespace, source, state) (redriver_lanes))", "{{state}}"),
      { isStacked: true },
    ),
    graph(
      "Destinations halted",
      query('max by (namespace, source) (redriver_lanes{state="halted"})', "{{source}}"),
    ),
    graph(
      "Halted",
      ofAlert(
        "RedriverLaneHalted",
        'max by (namespace, source, drain, origin) (redriver_lane{state="halted"})',
        "{{origin}} in {{drain}}",
      ),
      { isStacked: true, isMostlyEmpty: true },
    ),
    graph(
      "Waiting for halted destinations",
      ofAlert(
        "RedriverBacklogHalted",
        'sum by (namespace, source, drain) (max by (namespace, source, drain, origin) (redriver_destination_waiting) and on (namespace, source, drain, origin) max by (namespace, source, drain, origin) (redriver_lane{state="halted"}) == 1)',
        "{{drain}}",
      ),
      { isMostlyEmpty: true },
    ),
    graph(
      "Canaries that failed again",
      ofAlert(
        "RedriverLaneComeBacks",
        "max by (namespace, source, drain, origin) (increase(redriver_lane_come_backs_total[6h])) / max by (namespace, source, drain, origin) (increase(redriver_lane_canaries_total[6h]))",
        "{{origin}} in {{drain}}",
      ),
      { unit: "percentunit" },
    ),
    graph(
      "Halts within two hours",
      ofAlert(
        "RedriverLaneFlaps",
        "round(max by (namespace, source, drain, origin) (increase(redriver_lane_halts_total[2h])))",
        "{{origin}} in {{drain}}",
      ),
    ),
    graph("Canaries per minute, and those that failed again", [
      query("60 * sum by (drain) (rate(redriver_canaries_total[$__rate_interval]))", "{{drain}}: sent"),
      query(
        "60 * sum by (drain) (rate(redriver_canary_come_backs_total[$__rate_interval]))",
        "{{drain}}: failed again",
      ),
    ]),
  ],
};
