import { ofAlert, query, stat, type Section } from "../panels.ts";

export const now: Section = {
  title: "Now",
  panels: [
    stat("Replicas", ofAlert("RedriverDown", 'sum by (namespace) (up{job="redriver"})', "{{namespace}}")),
    stat(
      "Alerts that fire",
      query('count(ALERTS{alertname=~"Redriver.+", alertstate="firing"}) or vector(0)', ""),
    ),
    stat("Queue depth", query("sum(max by (namespace, source) (redriver_source_depth))", "")),
    stat("Due", query('sum(max by (namespace, source, drain) (redriver_records{state="due"}))', "")),
    stat("Held", query('sum(max by (namespace, source, drain) (redriver_records{state="held"}))', "")),
    stat("Parked", query('sum(max by (namespace, source, drain) (redriver_records{state="parked"}))', "")),
    stat(
      "First expiry in",
      query(
        "min(max by (namespace, source) (redriver_source_earliest_expiry_timestamp_seconds)) - time()",
        "",
      ),
      { unit: "s" },
    ),
    stat("Published in the last hour", query("sum(increase(redriver_published_total[1h]))", "")),
    stat("Failed again in the last hour", query("sum(increase(redriver_come_backs_total[1h]))", "")),
    stat(
      "Destinations halted",
      query('sum(max by (namespace, source) (redriver_lanes{state="halted"}))', ""),
    ),
    stat("Redis reached by", query("sum(redriver_redis_up)", "replicas")),
    stat(
      "Memory of Redis",
      ofAlert("RedriverRedisMemory", "max by (namespace) (redriver_redis_memory_ratio)", "{{namespace}}"),
      { unit: "percentunit" },
    ),
  ],
};
