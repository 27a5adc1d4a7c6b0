import type { Emulator } from "../emulator/index.ts";
import type { Lent } from "./lent.ts";

/** `index`: whose statistics are called. */
export function toLines({ output }: Lent, emulator: Emulator, index: string): string {
  const { url, controlUrl, token, statsCredentials, headerPrefix } = emulator;
  const authorization = quote(`Authorization: Bearer ${token}`);
  const statisticsUrl = `${url}/v2/search/${encodeURIComponent(index)}/stats`;
  const credentials = `${statsCredentials.username}:${statsCredentials.password}`;
  const fields = output.toFieldsText({
    "message API": url,
    token,
    "header prefix": headerPrefix,
    "control API": `${controlUrl}/_control/state`,
    "statistics API": statisticsUrl,
    "its user": credentials,
  });
  const calls = [
    `curl -sS -H ${authorization} ${url}/v2/dlq\n`,
    `curl -sS -u ${quote(credentials)} ${quote(statisticsUrl)}\n`,
  ];
  return `${fields}\n${calls.join("")}`;
}

export function toJson(
  { output }: Lent,
  { url, controlUrl, token, statsCredentials, headerPrefix }: Emulator,
): string {
  return output.toJsonLine({ url, controlUrl, token, statsCredentials, headerPrefix });
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
