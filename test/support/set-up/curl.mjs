// For a machine without curl: makes the request of a line that our pages show, prints what curl would, and ends as curl does. An
// option that no page has yet is an error.
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: {
    silent: { type: "boolean", short: "s" },
    "show-error": { type: "boolean", short: "S" },
    fail: { type: "boolean", short: "f" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    request: { type: "string", short: "X" },
    user: { type: "string", short: "u" },
    data: { type: "string", short: "d" },
    "data-binary": { type: "string" },
    output: { type: "string", short: "o" },
    "write-out": { type: "string", short: "w", default: "" },
  },
  allowPositionals: true,
});

const [url, ...others] = positionals;
if (url === undefined || others.length > 0) throw new Error(`expected one URL, got ${positionals.join(" ")}`);
const given = values["data-binary"] ?? values.data;
const body = given?.startsWith("@") ? readFileSync(given.slice(1)) : given;
const headers = {
  accept: "*/*",
  ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
  ...(values.user !== undefined && { authorization: `Basic ${btoa(values.user)}` }),
};
for (const header of values.header) {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(header) ?? [];
  headers[name.toLowerCase()] = value;
}

try {
  const method = values.request ?? (body === undefined ? "GET" : "POST");
  const asked = http.request(url, { method, headers }).end(body);
  const [answer] = await once(asked, "response");
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const isRefused = values.fail === true && answer.statusCode >= 400;
  if (!isRefused) writeFileSync(values.output ?? 1, Buffer.concat(chunks));
  const more = values["write-out"].replaceAll(String.raw`\n`, "\n");
  writeFileSync(1, more.replaceAll("%{http_code}", answer.statusCode));
  if (isRefused) process.exitCode = 22;
} catch (error) {
  process.stderr.write(`curl: ${error.message}\n`);
  process.exitCode = error.code === "ECONNREFUSED" ? 7 : 52;
}
