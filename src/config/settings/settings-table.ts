import { privatePolicies, schemes } from "../../job/message/item-policy.ts";
import type * as z from "zod";
import { line as lineOf, oneOf } from "../document/schema/building-blocks.ts";
import { consoleRoles } from "../../job/contracts/console-roles.ts";
import {
  addressRange,
  basePath,
  bytes,
  bytesOrAuto,
  duration,
  formerSigningKey,
  hostPattern,
  listOf,
  matching,
  optional,
  pageUrl,
  portOrNone,
  proxyExceptions,
  proxyUrl,
  redisNode,
  redisUrl,
  secretAlone,
  secretText,
  serviceUrl,
  signingKey,
  wholeNumber,
  yesOrNo,
} from "./value-schemas.ts";

/** One setting: its default as a person would write it (null: none), what it is for, how it is read. */
export interface SettingRow<Value = unknown> {
  readonly default: string | number | null;
  readonly doc: string;
  readonly schema: z.ZodType<Value>;
  readonly secret: boolean;
  /** Of a duration: its name in `Settings` ends in the unit. */
  readonly unit?: "ms";
  /** The file that it names has the value of this setting. */
  readonly fileOf?: "redis.url" | "redis.sentinelPassword";
}

function row<Value>(fallback: SettingRow["default"], schema: z.ZodType<Value>, doc: string) {
  return { default: fallback, schema, doc, secret: false };
}

function secretRow<Value>(schema: z.ZodType<Value>, doc: string, fallback: string | null = null) {
  return { ...row(fallback, schema, doc), secret: true } as const;
}

function durationRow(fallback: string, min: string, doc: string) {
  return { ...row(fallback, duration(min), doc), unit: "ms" } as const;
}

function fileRow(doc: string, fileOf?: NonNullable<SettingRow["fileOf"]>) {
  return { ...row(null, optional(path), doc), ...(fileOf && { fileOf }) };
}

const badgeColors = ["gray", "red", "orange", "green", "blue", "purple"] as const;
const logLevels = ["debug", "info", "warn", "error", "fatal", "silent"] as const;
const schemesExpected = "a list of https and http, at least one";
const line = (what: string) => lineOf(what, 4_096);
const path = line("the path of a file");
const host = line("a host name or address");
const headerName = matching(/^[A-Za-z0-9-]{1,100}$/, "the name of a header, such as X-Forwarded-User");
const groups = listOf(lineOf("the name of a group", 255), "a list of names of groups");
const redisNodes = listOf(redisNode, 'a list of addresses such as "10.0.0.1:26379"');

/** Every setting by its name. The environment name mirrors it: `service.tokenFile` is REDRIVER_SERVICE_TOKEN_FILE. */
export const settingRows = {
  "service.url": row(
    null,
    optional(serviceUrl),
    "Base URL of the message service, for sources without a url of their own; else QSTASH_URL.",
  ),
  "service.token": secretRow(
    optional(secretAlone),
    "Token of the message service, for sources without a token of their own; else QSTASH_TOKEN.",
  ),
  "service.tokenFile": fileRow("File with the token instead; re-read when it changes."),
  "service.headerPrefix": row(
    "Upstash-",
    matching(/^[A-Za-z][A-Za-z0-9-]*-$/, 'a header prefix that ends in "-", such as "Upstash-"'),
    "Prefix of the service's own headers.",
  ),
  "service.listTimeout": durationRow("30s", "100ms", "How long listing a page may take."),
  "service.batchTimeout": durationRow(
    "30s",
    "1s",
    "How long a publish may wait for its answer; after that its outcome is in doubt.",
  ),
  "service.deleteTimeout": durationRow("30s", "100ms", "How long a delete may take."),
  "service.connectTimeout": durationRow("5s", "100ms", "How long a connection may take to open."),
  // A record of this size fits the container's memory limit alone; pages of more records are read as
  // memory.budget has room.
  "service.maxAnswerBytes": row("24MiB", bytes(65_536), "Maximum bytes of an answer."),
  "service.maxCallsInFlight": row(
    64,
    wholeNumber(1, 1_000),
    "Maximum calls in flight to one source, of all replicas together; each replica has at least one.",
  ),
  "proxy.url": secretRow(
    optional(proxyUrl),
    "Forward proxy for calls by https, but not to Redis; else HTTPS_PROXY.",
  ),
  "proxy.except": row(
    "",
    proxyExceptions,
    "Hosts that are called without the proxy, separated by commas: names, addresses, ranges, or *; else NO_PROXY.",
  ),
  "redis.url": secretRow(
    redisUrl,
    "Redis that keeps the ledger, schedules and jobs; rediss:// for TLS.",
    "redis://127.0.0.1:6379",
  ),
  "redis.urlFile": fileRow(
    "File with redis.url instead, for an address with a password; read at start.",
    "redis.url",
  ),
  "redis.caFile": fileRow(
    "PEM file of the authority of Redis's certificate, in place of the system's; read at start.",
  ),
  "redis.certFile": fileRow(
    "PEM file of redriver's own certificate, if Redis asks its clients for one; read at start.",
  ),
  "redis.keyFile": fileRow(
    "PEM file of that certificate's private key, without a passphrase; read at start.",
  ),
  "redis.sentinels": row("", redisNodes, "Sentinels that know the master, as host:port separated by commas."),
  "redis.sentinelName": row(
    null,
    optional(line("the name that the Sentinels know the master by")),
    "Name of the master at the Sentinels.",
  ),
  "redis.sentinelUser": secretRow(optional(secretText), "User at the Sentinels, if they ask for one."),
  "redis.sentinelPassword": secretRow(
    optional(secretText),
    "Password at the Sentinels, if they ask for one.",
  ),
  "redis.sentinelPasswordFile": fileRow(
    "File with the password at the Sentinels instead; read at start.",
    "redis.sentinelPassword",
  ),
  "redis.cluster": row("false", yesOrNo, "true: redis.url is one node of a Redis Cluster."),
  "redis.clusterNodes": row(
    "",
    redisNodes,
    "More nodes of the cluster to start from, as host:port separated by commas.",
  ),
  "redis.keyPrefix": row(
    "redriver",
    matching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "a prefix of letters, digits, _ . and -, at most 64"),
    "First part of every Redis key.",
  ),
  "drains.file": row("config/drains.yaml", path, "The drains document."),
  "http.host": row("0.0.0.0", host, "Address on which /livez, /readyz and /metrics listen."),
  "http.port": row(
    9466,
    wholeNumber(0, 65_535),
    "Port of /livez, /readyz and /metrics; 0 takes any free one.",
  ),
  "socket.path": row(
    "auto",
    line("the path of a socket, auto or none"),
    "Unix socket at which the daemon answers commands beside it; auto: in a private folder of its user.",
  ),
  "callback.host": row(
    "0.0.0.0",
    host,
    "Address on which the service's callbacks are received, if a source has callbacks.",
  ),
  "callback.port": row(9467, wholeNumber(0, 65_535), "Port of callbacks; 0 takes any free one."),
  "console.host": row(
    "127.0.0.1",
    host,
    "Address on which the console listens. Any but a loopback address needs console.auth token or headers.",
  ),
  "console.port": row(
    9468,
    portOrNone,
    "Port of the console; 0 takes any free one, none turns the console off.",
  ),
  "console.role": row(
    "viewer",
    oneOf(consoleRoles),
    "What a person may do in the console who has no role of their own: viewer reads, operator acts, admin also sees content.",
  ),
  "console.auth": row(
    "none",
    oneOf(["none", "token", "headers"] as const),
    "How the console knows who asks: none, token (console.tokenFile), or headers of a proxy (console.proxies).",
  ),
  "console.tokenFile": fileRow(
    "File with a line `name role token` for each person or program; re-read when it changes.",
  ),
  "console.proxies": row(
    "",
    listOf(addressRange, 'a list of addresses such as "10.0.0.7" or "10.0.0.0/8"'),
    "Addresses of proxies whose identity headers are believed, separated by commas; a range is 10.0.0.0/8.",
  ),
  "console.userHeader": row(
    "X-Forwarded-User",
    headerName,
    "Header in which a proxy names the person, with console.auth headers.",
  ),
  "console.groupsHeader": row(
    "X-Forwarded-Groups",
    headerName,
    "Header in which a proxy names the person's groups, separated by commas.",
  ),
  "console.operatorGroups": row("", groups, "Groups whose members may act, separated by commas."),
  "console.adminGroups": row(
    "",
    groups,
    "Groups whose members may act and see content, separated by commas.",
  ),
  "console.hosts": row(
    "",
    listOf(hostPattern, 'a list of hosts such as "redriver.example.com", without ports'),
    "Names under which browsers reach the console, separated by commas. localhost and loopback addresses always count.",
  ),
  "console.basePath": row(
    "",
    basePath,
    "Path below which browsers reach the console, such as /redriver. A proxy before it may strip that path or leave it.",
  ),
  "console.url": row(
    null,
    optional(pageUrl),
    "Address at which people reach the console, such as https://redriver.example.com. Notices link to its pages.",
  ),
  "console.badge": row(
    null,
    optional(lineOf("the name of an environment, at most 40 characters", 40)),
    "Name of the environment, shown on every page of the console, such as production.",
  ),
  "console.badgeColor": row("gray", oneOf(badgeColors), "Colour of that name."),
  "log.level": row("info", oneOf(logLevels), "The minimum level that is logged."),
  "log.audit": row(
    "none",
    line("none, stdout or the path of a file"),
    "Where the daemon writes a line for each act beside Redis, which has all: none, stdout, or the path of a file.",
  ),
  "lineage.key": secretRow(
    optional(signingKey),
    "Key that signs the lineage header, at least 16 characters; without one it is derived from the token.",
  ),
  "lineage.keyFile": fileRow("File with the lineage key instead."),
  "lineage.oldKeys": secretRow(
    listOf(formerSigningKey, "a list of keys without spaces and commas, each of at least 16 characters"),
    "Former lineage keys, separated by commas: they still verify and sign nothing.",
    "",
  ),
  "ledger.sendBy": durationRow(
    "15s",
    "1s",
    "The last byte of a publish leaves within this time of its intent being written.",
  ),
  "ledger.networkDelay": durationRow("2m", "1s", "How long the network may delay a request."),
  "ledger.maxPageAge": durationRow("5m", "1s", "Nothing is begun from a page listed longer ago than this."),
  "ledger.settleGateAge": durationRow(
    "2m",
    "1s",
    "A source publishes nothing while a published dead letter has waited longer than this for its delete.",
  ),
  "ledger.settleGateFailedDeletes": row(
    1_000,
    wholeNumber(1, 1_000_000),
    "A source publishes nothing while more published dead letters than this have had a failed delete.",
  ),
  "publish.maxItems": row(100, wholeNumber(1, 100), "Maximum items of one batch."),
  "publish.maxBytes": row(
    "4MiB",
    bytes(1_024),
    "Maximum bytes of one batch; a larger message travels alone.",
  ),
  "publish.maxMessageBytes": row(
    "24MiB",
    bytes(1_024),
    "Maximum bytes of one message as a batch item; a larger one is parked as over-limit.",
  ),
  "publish.maxHeaders": row(
    1_000,
    wholeNumber(1, 100_000),
    "Maximum headers of one message; one with more is parked as over-limit.",
  ),
  "publish.maxHeaderBytes": row(
    "256KiB",
    bytes(1_024),
    "Maximum bytes of all header names and values of one message; one with more is parked as over-limit.",
  ),
  "publish.allowHosts": row(
    "",
    listOf(hostPattern, 'a list of hosts such as "api.example.com" or "*.example.com", without ports'),
    "Hosts that may be published to or called back, separated by commas: host, *.example.com, or *; none: any.",
  ),
  "publish.allowSchemes": row(
    "https, http",
    listOf(oneOf(schemes), schemesExpected).refine(({ length }) => length > 0, schemesExpected),
    "Schemes that destinations and callbacks may have.",
  ),
  "publish.allowPrivate": row(
    "auto",
    oneOf(privatePolicies),
    "Whether to publish to localhost and to addresses of private networks: yes, no or auto.",
  ),
  "windows.concurrency": row(
    8,
    wholeNumber(1, 64),
    "How many windows of one source a replica works on at once; each further source has one that no other can take.",
  ),
  "memory.budget": row(
    "auto",
    bytesOrAuto(1_048_576),
    "Bytes that all pages share while they are worked on, or auto: what the container's limit and the heap leave.",
  ),
  "sweep.every": durationRow(
    "15s",
    "100ms",
    "How often open outcomes are reconciled and pending deletes retried.",
  ),
  "shutdown.soft": durationRow(
    "20s",
    "0s",
    "After SIGTERM, running work may finish for this long, then it is aborted.",
  ),
  "shutdown.hard": durationRow("30s", "100ms", "After SIGTERM, the process ends after this at the latest."),
  "passes.overlap": durationRow("2m", "0s", "How far a pass looks back over the one before it."),
  "passes.abandonAfter": durationRow(
    "5m",
    "1s",
    "A pass without progress for this long is closed as abandoned.",
  ),
  "statistics.url": row("https://api.upstash.com", serviceUrl, "Base URL of the search index statistics."),
  "statistics.timeout": durationRow("30s", "100ms", "How long reading statistics may take."),
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof settingRows;
export const settingNames = Object.keys(settingRows) as readonly SettingName[];

export type SettingValues = {
  readonly [Name in SettingName]: (typeof settingRows)[Name] extends SettingRow<infer Value> ? Value : never;
};

export function toEnvName(name: string): string {
  return `REDRIVER_${name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}
