import { alertRules } from "./alert-rules.ts";
import { lanes } from "./operations/lanes.ts";
import { machine } from "./operations/machine.ts";
import { now } from "./operations/now.ts";
import { people } from "./operations/people.ts";
import { queue } from "./operations/queue.ts";
import { service } from "./operations/service.ts";
import { work } from "./operations/work.ts";
import { alertsOf, graph, whileAlert, type DashboardPlan, type Section } from "./panels.ts";

const sections = [now, queue, work, people, lanes, service, machine];

const filled = sections.map((section) => ({
  ...section,
  panels: section.panels.filter(({ isMostlyEmpty }) => isMostlyEmpty !== true),
}));

/** With other alerts, so that a new one is on the dashboard before somebody finds it a place. */
function mostlyEmpty(shownElsewhere: ReadonlySet<string>): Section {
  const shown = alertsOf(sections);
  const others = alertRules
    .filter(({ alert }) => !shown.has(alert) && !shownElsewhere.has(alert))
    .map(({ alert }) => graph(alert, whileAlert(alert, "__auto")));
  const rare = sections.flatMap(({ panels }) => panels.filter(({ isMostlyEmpty }) => isMostlyEmpty === true));
  return {
    title: "Empty unless used: halts, errors, pending deletes, the archive's volume",
    panels: [...rare, ...others],
    isFolded: true,
  };
}

/** `shownElsewhere`: alerts that another dashboard shows. */
export function operations(shownElsewhere: ReadonlySet<string>): DashboardPlan {
  return {
    uid: "redriver-operations",
    title: "redriver: operations",
    variables: [
      { name: "namespace", label: "Namespace", metric: "redriver_build_info" },
      { name: "source", label: "Source", metric: "redriver_source_census_interval_seconds" },
      { name: "drain", label: "Drain", metric: "redriver_settled_total" },
    ],
    sections: [...filled, mostlyEmpty(shownElsewhere)],
  };
}
