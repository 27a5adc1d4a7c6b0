import { EmulatorRefusal } from "../refusal.ts";

/** A URL stands in the path as it is, its query being that of the request, or percent-encoded as a whole. */
export function destinationOf(rest: string, rawQuery: string): string {
  if (/^https?:\/\//i.test(rest)) return rawQuery === "" ? rest : `${rest}?${rawQuery}`;
  let decoded: string;
  try {
    decoded = decodeURIComponent(rest);
  } catch {
    throw new EmulatorRefusal(400, `invalid destination url: ${rest}`);
  }
  if (rawQuery === "" || !/^https?:\/\//i.test(decoded)) return decoded;
  return `${decoded}${decoded.includes("?") ? "&" : "?"}${rawQuery}`;
}
