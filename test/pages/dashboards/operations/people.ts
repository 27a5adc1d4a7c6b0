import { graph, ofAlert, query, type Section } from "../panels.ts";

export const people: Section = {
  title: "For a person",
  panels: [
    graph(
      "Parked by drain",
      query(
        'sum by (drain) (max by (namespace, source, drain) (redriver_records{state="parked"}))',
        "{{drain}}",
      ),
      { isStacked: true },
    ),
    graph(
      "Parked within an hour",
      ofAlert(
        "RedriverParked",
        'max by (namespace, source, drain) (redriver_records{state="parked"}) - on (namespace, source, drain) min by (namespace, source, drain) (min_over_time(redriver_records{state="parked"}[1h]))',
        "{{drain}}",
      ),
    ),
    graph(
      "Held by no rule",
      ofAlert(
        "RedriverHeldByNoRule",
        "max by (namespace, source, drain) (redriver_unmatched_records)",
        "{{drain}}",
      ),
    ),
    graph(
      "In doubt",
      ofAlert(
        "RedriverUnknownOutcomes",
        'max by (namespace, source, drain) (redriver_records{state="in_doubt"})',
        "{{drain}}",
      ),
    ),
    graph("Perhaps or certainly doubled within an hour", [
      ofAlert(
        "RedriverDeclaredDoubles",
        "sum by (namespace, drain) (increase(redriver_declared_doubles_total[1h]))",
        "{{drain}}, perhaps",
      ),
      ofAlert(
        "RedriverFoundDoubles",
        "sum by (namespace, drain) (increase(redriver_found_doubles_total[1h]))",
        "{{drain}}, certainly",
      ),
    ]),
    graph(
      "Published and not deleted yet",
      ofAlert(
        "RedriverPendingDeletes",
        "max by (namespace, source) (redriver_pending_deletes)",
        "{{source}}",
      ),
    ),
    graph(
      "Age of the oldest pending delete",
      ofAlert(
        "RedriverPendingDeletes",
        "time() - max by (namespace, source) (redriver_oldest_pending_delete_timestamp_seconds)",
        "{{source}}",
      ),
      { unit: "s", isMostlyEmpty: true },
    ),
    graph("Too large, archive failures, lost writes", [
      ofAlert(
        "RedriverRecordTooLarge",
        "sum by (namespace, source) (increase(redriver_passed_over_records_total[75m]))",
        "{{source}}: too large to read",
      ),
      ofAlert(
        "RedriverArchiveFailing",
        "sum by (namespace, source) (increase(redriver_archive_failures_total[45m]))",
        "{{source}}: not archived",
      ),
      ofAlert(
        "RedriverLedgerLostWrites",
        "sum by (namespace, source) (increase(redriver_ledger_lost_writes_total[1h]))",
        "{{source}}: lost writes",
      ),
    ]),
    graph(
      "Notices dropped within an hour",
      ofAlert(
        "RedriverNoticesDropped",
        'sum by (namespace, event) (increase(redriver_notices_total{outcome="dropped"}[1h]))',
        "{{event}}",
      ),
    ),
  ],
};
