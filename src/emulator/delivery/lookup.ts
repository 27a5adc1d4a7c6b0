import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isLocalName } from "./loopback.ts";

/** Names of this machine lead to this machine, whatever a name server says; all others are looked up. */
export const lookup: LookupFunction = (hostname, options, answer) => {
  if (!isLocalName(hostname)) systemLookup(hostname, options, answer);
  else if (options.all === true) answer(null, localAddresses);
  else answer(null, "127.0.0.1", 4);
};

const localAddresses = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
