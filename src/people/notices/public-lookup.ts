import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPrivateHost } from "../../job/message/private-host.ts";

export class PrivateAddress extends Error {
  constructor() {
    super("its name leads to a private address");
    this.name = "PrivateAddress";
  }
}

/**
 * Resolves a name, and fails with `PrivateAddress` if any of its addresses is private. The socket connects to what
 * this answers, so a name cannot change between the check and the call. Never asked for an address.
 */
export function createPublicLookup(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, answer) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return answer(error, "", 0);
      if (addresses.some((one) => isPrivateAddress(one.address, one.family))) {
        return answer(new PrivateAddress(), "", 0);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return answer(null, addresses);
      answer(null, first.address, first.family);
    });
  };
}

function isPrivateAddress(address: string, family: number): boolean {
  // A zone (`%eth0`) is no part of it.
  const [plain = ""] = address.split("%");
  return isPrivateHost(family === 6 ? `[${plain}]` : plain);
}
