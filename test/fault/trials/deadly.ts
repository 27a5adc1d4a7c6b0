/**
 * Loaded before the daemon's program: a letter whose text has the mark ends its process, as one does for which there
 * is not enough memory. DEADLY says when: `work`, as its message is rebuilt, or `list`, as its page is parsed.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { die } from "../failpoints.ts";
import { markOf } from "./letters.ts";

const mark = markOf("deadly");
const { DEADLY: when } = process.env;

if (when === "work") {
  const { hash } = crypto;
  crypto.hash = ((...call: Parameters<typeof hash>) => {
    const [, data] = call;
    if (typeof data === "string" && data.includes(mark)) die();
    return hash(...call);
  }) as typeof hash;
  syncBuiltinESMExports();
} else {
  const { parse } = JSON;
  // Inside the text of a body each quote has a backslash before it.
  const quoted = JSON.stringify(mark).slice(1, -1);
  JSON.parse = (...call: Parameters<typeof parse>): unknown => {
    if (call[0].includes(quoted)) die();
    return parse(...call) as unknown;
  };
}
