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

/** So that a new alert is on the dashboard before somebody finds it a place. */
function ofOtherAlerts(shownElsewhere: ReadonlySet<string>): readonly Section[] {
  const shown = alertsOf(sections);
  const panels = alertRules
    .filter(({ alert }) => !shown.has(alert) && !shownElsewhere.has(alert))
    .map(({ alert }) => graph(alert, whileAlert(alert, "__auto")));
  return panels.length === 0 ? [] : [{ title: "Other alerts", panels }];
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
    sections: [...sections, ...ofOtherAlerts(shownElsewhere)],
  };
}
