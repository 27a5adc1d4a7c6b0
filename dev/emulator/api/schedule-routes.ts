import type { EmulatorCore } from "../emulator-parts.ts";
import { errorAnswer, json, jsonOf, type EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { destinationOf } from "../publish/destination-in-path.ts";
import { refuseOverQuota, toItem } from "../publish/parse-publish-items.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { parseCron } from "../schedules/cron.ts";
import { toScheduleRecord } from "../schedules/schedule-record.ts";
import { route, type MessageRoute } from "./route.ts";

const notFound = errorAnswer(404, "schedule not found");

const pausing = (method: "PATCH" | "POST", verb: "pause" | "resume"): MessageRoute =>
  route("manage", method, `/v2/schedules/{scheduleId}/${verb}`, (core, _exchange, { scheduleId }) =>
    core.schedules.setPaused(scheduleId!, verb === "pause") ? json(200, {}) : notFound,
  );

/** The client pauses and resumes by PATCH, the API reference by POST. */
export const scheduleRoutes: readonly MessageRoute[] = [
  pausing("PATCH", "pause"),
  pausing("PATCH", "resume"),
  pausing("POST", "pause"),
  pausing("POST", "resume"),
  route("manage", "GET", "/v2/schedules", (core) =>
    json(
      200,
      core.schedules.list().map((schedule) => toScheduleRecord(schedule, core.log)),
    ),
  ),
  route("manage", "GET", "/v2/schedules/{scheduleId}", (core, _exchange, { scheduleId }) => {
    const schedule = core.schedules.find(scheduleId!);
    return jsonOf(schedule && toScheduleRecord(schedule, core.log), "schedule");
  }),
  route("manage", "DELETE", "/v2/schedules/{scheduleId}", (core, _exchange, { scheduleId }) =>
    core.schedules.remove(scheduleId!) ? json(200, {}) : notFound,
  ),
  route("manage", "POST", "/v2/schedules/{destination...}", (core, exchange, { destination }) =>
    create(core, exchange, destination!),
  ),
];

function create(core: EmulatorCore, exchange: Exchange, rest: string): EmulatorAnswer {
  const { headers, body, rawQuery, remoteAddress: callerIp } = exchange;
  const headerOf = (name: string): string | undefined =>
    headers[`${core.settings.headerPrefix}${name}`.toLowerCase()]?.join(", ").trim() || undefined;
  const cronText = headerOf("Cron");
  if (cronText === undefined) throw new EmulatorRefusal(400, `${core.settings.headerPrefix}Cron is required`);
  const cron = parseCron(cronText, core.clock.now());
  const draft = {
    destination: destinationOf(rest, rawQuery),
    queueName: headerOf("Queue-Name"),
    headers,
    body,
  };
  // Unlike a message it may have both a queue and a delay.
  const item = toItem(draft, core.directory, core.settings, refuseOverQuota);
  const { destination, queueName } = item;
  const settings = { ...item.settings, notBeforeSeconds: undefined };
  const { scheduleId } = core.schedules.put({ destination, queueName, body, settings, cron, callerIp });
  return json(200, { scheduleId });
}
