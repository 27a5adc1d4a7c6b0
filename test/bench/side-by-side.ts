import {
  callsPer100,
  cpuPerMessage,
  isDeliveredOnce,
  listedPerRecord,
  messagesPerSecond,
  redisBytesPerMessage,
  redisCpuPerMessage,
  tripsPer100,
} from "./lines/ratios.ts";
import { plainCase, type Contender } from "./stand/case.ts";
import type { Measured } from "./stand/measure.ts";

const columns = [
  "who",
  "messages",
  "latency",
  "messages/s",
  "µs CPU",
  "of loop",
  "of floor",
  "calls/100",
  "listed",
  "in flight",
  "peak MB",
  "Redis µs",
  "Redis bytes",
  "trips/100",
  "service busy",
  "once",
];

/** All that was measured, with each one's CPU against the loop's and the floor's of the same case. */
export function toSideBySide(all: readonly Measured[]): readonly (readonly string[])[] {
  return [columns, ...all.map((one) => toRow(one, all))];
}

export function toMarkdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [toLine(head), toLine(head.map(() => "---")), ...rows.map(toLine)].join("\n");
}

const toLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function toRow(one: Measured, all: readonly Measured[]): readonly string[] {
  const { case: of, service, redis, peakBytes, serviceCpuMs, wallMs } = one;
  const ratioTo = (contender: Contender): string => {
    const other = all.find(
      ({ case: { contender: name, messages, latencyMs } }) =>
        name === contender && messages === of.messages && latencyMs === of.latencyMs,
    );
    return other === undefined ? "" : (cpuPerMessage(one) / cpuPerMessage(other)).toFixed(2);
  };
  return [
    toName(one),
    String(of.messages),
    `${of.latencyMs} ms`,
    messagesPerSecond(one).toFixed(0),
    cpuPerMessage(one).toFixed(0),
    ratioTo("loop"),
    ratioTo("floor"),
    callsPer100(one).toFixed(2),
    listedPerRecord(one).toFixed(3),
    String(service.maxInFlight),
    (peakBytes / 1_000_000).toFixed(0),
    redis === null ? "" : redisCpuPerMessage(one).toFixed(1),
    redis === null ? "" : redisBytesPerMessage(one).toFixed(0),
    redis === null ? "" : tripsPer100(one).toFixed(1),
    `${((100 * serviceCpuMs) / wallMs).toFixed(0)} %`,
    isDeliveredOnce(one)
      ? "yes"
      : `NO: ${service.delivered} delivered, ${service.doubled} doubled, ${service.broken} broken`,
  ];
}

/** With whatever makes its case another than the plain one. */
function toName({ case: of }: Measured): string {
  const other = (["distribution", "order", "bodyBytes", "callsPerSecond"] as const)
    .filter((name) => of[name] !== plainCase[name])
    .map((name) => (typeof of[name] === "number" ? `${name} ${of[name]}` : String(of[name])));
  const many = [
    ...(of.contender === "floor" ? [`${of.parallel} in parallel`] : []),
    ...(of.replicas > 1 ? [`${of.replicas} replicas`] : []),
  ];
  return [of.contender, ...many, ...other].join(", ");
}
