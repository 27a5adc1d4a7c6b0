import { graph, ofAlert, query, type Section } from "../panels.ts";

export const queue: Section = {
  title: "The queue",
  panels: [
    graph("Depth by source", query("max by (namespace, source) (redriver_source_depth)", "{{source}}")),
    graph(
      "Records by state",
      query(
        'sum by (state) (max by (namespace, source, drain, state) (redriver_records{state!="in_doubt"}))',
        "{{state}}",
      ),
      { isStacked: true },
    ),
    graph(
      "Waiting by drain",
      query(
        'sum by (drain) (max by (namespace, source, drain, state) (redriver_records{state=~"due|held"}))',
        "{{drain}}",
      ),
      { isStacked: true },
    ),
    graph(
      "Arrivals in an hour",
      ofAlert(
        "RedriverArrivalsUnusual",
        "max by (namespace, source, drain) (increase(redriver_arrivals_total[1h]))",
        "{{drain}}",
      ),
    ),
    graph(
      "Waiting by destination",
      query(
        "max by (namespace, source, drain, origin) (redriver_destination_waiting)",
        "{{origin}} in {{drain}}",
      ),
      { isStacked: true },
    ),
    graph(
      "Waiting by failure",
      query("max by (namespace, source, failure) (redriver_failure_waiting)", "{{failure}}"),
      { isStacked: true },
    ),
    graph(
      "Due, to be acted on",
      ofAlert(
        "RedriverNothingSettled",
        'max by (namespace, drain) (redriver_records{state="due"})',
        "{{drain}}",
      ),
    ),
    graph(
      "Age of the oldest record",
      ofAlert(
        "RedriverOldestRecordTooOld",
        "time() - max by (namespace, drain) (redriver_oldest_record_timestamp_seconds)",
        "{{drain}}",
      ),
      { unit: "s" },
    ),
    graph(
      "First expiry in",
      ofAlert(
        "RedriverExpiryNear",
        "max by (namespace, source, drain) (redriver_earliest_expiry_timestamp_seconds) - time()",
        "{{drain}}",
      ),
      { unit: "s" },
    ),
    graph("Expiring without a copy", [
      ofAlert(
        "RedriverExpiringUnarchived",
        "max by (namespace, source) (redriver_source_expiring_unarchived_records)",
        "{{source}}",
      ),
      query(
        "max by (namespace, source) (redriver_source_expiring_accepted_records)",
        "{{source}}, as the document says",
      ),
    ]),
    graph(
      "Failed again where no drain sees it",
      query("max by (namespace, source) (redriver_source_unselected_come_backs)", "{{source}}"),
    ),
    graph(
      "Age of the census",
      ofAlert(
        "RedriverCensusStale",
        "time() - max by (namespace, source) (redriver_source_census_timestamp_seconds)",
        "{{source}}",
      ),
      { unit: "s" },
    ),
  ],
};
